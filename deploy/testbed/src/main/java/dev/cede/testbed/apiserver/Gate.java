package dev.cede.testbed.apiserver;

import java.io.InterruptedIOException;
import java.util.concurrent.CountDownLatch;

/** Holds up one request, or its answer, until it is opened. */
public final class Gate {

    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);
    private final CountDownLatch passed = new CountDownLatch(1);
    private volatile ApiReply reply;

    /** Returns when the request, or its answer, is at the gate. */
    public void awaitHeldUp() throws InterruptedException {
        reached.await();
    }

    /** Lets it through; how the request was answered, whether or not anybody still listens. */
    public ApiReply open() throws InterruptedException {
        opened.countDown();
        passed.await();
        return reply;
    }

    /** Ends with an exception if the server stops first. */
    void hold() throws InterruptedIOException {
        reached.countDown();
        try {
            opened.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the server stops");
        }
    }

    ApiReply passedWith(ApiReply answer) {
        reply = answer;
        passed.countDown();
        return answer;
    }
}
