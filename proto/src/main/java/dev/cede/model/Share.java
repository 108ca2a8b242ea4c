package dev.cede.model;

/** One container's part of one card. */
public record Share(PodRef pod, String container, CardId card, Amount amount) {
    public ShareKey key() {
        return new ShareKey(pod.uid(), container, card);
    }
}
