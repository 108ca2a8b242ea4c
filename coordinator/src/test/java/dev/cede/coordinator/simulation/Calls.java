package dev.cede.coordinator.simulation;

import dev.cede.coordinator.cluster.GroupRef;
import dev.cede.coordinator.kubernetes.ShellRequests;
import dev.cede.coordinator.loop.ApiFailure;
import dev.cede.coordinator.loop.Effect;
import dev.cede.coordinator.loop.Event;
import dev.cede.coordinator.loop.EventSink;
import dev.cede.model.PodRef;
import dev.cede.testbed.apiserver.ApiReply;
import dev.cede.testbed.apiserver.ApiRequest;

import io.fabric8.kubernetes.api.model.Pod;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Consumer;

/** A coordinator's calls to the API server: for one pod one after another, others side by side. */
final class Calls {
    private static final long MOST_DELAY = 15;
    private static final long SLOWEST = 2_000;
    private static final long TIMEOUT = 15_000;
    private static final long PAUSE = 1_000;
    private static final int MOST_TRIES = 10;
    private static final int CONFLICT = 409;
    private static final int TOO_MANY = 429;
    private static final int NOT_FOUND = 404;
    private static final List<Integer> ERRORS = List.of(CONFLICT, TOO_MANY, 500);

    private final World world;
    private final SimulatedProcess process;
    private final Contender contender;
    private final EventSink sink;
    private final Draws draws;
    private final Map<String, Queue<Consumer<Runnable>>> lanes = new HashMap<>();
    private long term;

    Calls(World world, SimulatedProcess process, Contender contender, EventSink sink, Draws draws) {
        this.world = world;
        this.process = process;
        this.contender = contender;
        this.sink = sink;
        this.draws = draws;
    }

    /** Effects from now on belong to this term; 0 is none. */
    void term(long epoch) {
        term = epoch;
    }

    private interface Judge {
        void accepted();
    }

    private record Answer(Consumer<ApiReply> success, Consumer<ApiFailure> failure) {}

    void bind(Effect.Bind bind) {
        PodRef pod = bind.pod().ref();
        long ofTerm = term;
        inLane(pod, done -> {
            world.checks.bindSent(bind);
            make(
                    world.bug.binding(ShellRequests.binding(bind)),
                    () -> world.checks.bound(bind, ofTerm),
                    answer(
                            done,
                            reply -> new Event.Bound(pod, bind.node()),
                            failure -> new Event.BindFailed(pod, bind.node(), failure)));
        });
    }

    void evict(Effect.Evict evict) {
        PodRef victim = evict.victim().ref();
        long ofTerm = term;
        inLane(victim, done -> {
            world.checks.evictionBegins(evict);
            Answer end = answer(
                    done,
                    reply -> new Event.Evicted(victim),
                    failure -> new Event.EvictFailed(victim, failure));
            Answer judged = new Answer(end.success(), failure -> judge(victim, failure, end));
            make(
                    ShellRequests.mark(evict, world.time.instant()),
                    () -> {},
                    new Answer(reply -> delete(evict, ofTerm, reply, judged), judged.failure()));
        });
    }

    private void delete(Effect.Evict evict, long ofTerm, ApiReply marked, Answer answer) {
        PodRef victim = evict.victim().ref();
        String version = marked.body().path("metadata").path("resourceVersion").stringValue();
        tell(() -> make(
                ShellRequests.delete(victim, version),
                () -> world.checks.evicted(evict, ofTerm),
                answer));
    }

    /** A victim that is gone is as good as evicted. */
    private void judge(PodRef victim, ApiFailure failure, Answer end) {
        if (failure.notFound()) {
            end.success().accept(null);
        } else if (failure.conflict()) {
            read(
                    victim,
                    found -> {
                        if (found.isEmpty()) {
                            end.success().accept(null);
                        } else {
                            end.failure().accept(failure);
                        }
                    },
                    end.failure());
        } else {
            end.failure().accept(failure);
        }
    }

    void rollBack(Effect.RollBack back) {
        PodRef member = back.member().ref();
        inLane(
                member,
                done -> tell(() -> make(
                        ShellRequests.delete(member, back.member().resourceVersion()),
                        () -> world.tally.count("members rolled back"),
                        answer(
                                done,
                                reply -> new Event.Evicted(member),
                                failure -> new Event.EvictFailed(member, failure)))));
    }

    void fence(Effect.Fence fence) {
        PodRef pod = fence.pod().ref();
        inLane(
                pod,
                done -> make(
                        ShellRequests.fence(fence, world.time.instant()),
                        () -> world.tally.count("fences"),
                        answer(
                                done,
                                reply -> new Event.Fenced(
                                        world.api.facts(world.api.read(reply.body()))),
                                failure -> new Event.FenceFailed(pod, failure))));
    }

    void nominate(Effect.Nominate nominate) {
        quietly(nominate.pod(), ShellRequests.nomination(nominate));
    }

    void reportPending(Effect.ReportPending report) {
        inLane(
                report.pod(),
                done -> make(
                        ShellRequests.pending(report, world.time.instant()),
                        () -> {},
                        new Answer(reply -> tell(done), failure -> done.run())));
    }

    void announce(Effect.Announce announce) {
        inLane(announce.pod(), this::tell);
    }

    void readPod(Effect.ReadPod read) {
        inLane(
                read.pod(),
                done -> read(
                        read.pod(),
                        found -> {
                            sink.post(new Event.PodRead(read.pod(), found.map(world.api::facts)));
                            done.run();
                        },
                        failure -> {
                            sink.post(new Event.PodReadFailed(read.pod(), failure));
                            done.run();
                        }));
    }

    void findPod(Effect.FindPod find) {
        inLane(
                find.pod(),
                done -> make(
                        ShellRequests.find(find),
                        () -> {},
                        answer(
                                done,
                                reply -> new Event.PodRead(
                                        find.pod(),
                                        world.api.readAll(reply.body()).stream()
                                                .filter(pod -> pod.getMetadata()
                                                        .getUid()
                                                        .equals(find.pod().uid()))
                                                .findFirst()
                                                .map(world.api::facts)),
                                failure -> new Event.PodReadFailed(find.pod(), failure))));
    }

    private void read(PodRef pod, Consumer<Optional<Pod>> found, Consumer<ApiFailure> failed) {
        make(
                ShellRequests.get(pod),
                () -> {},
                new Answer(
                        reply -> found.accept(Optional.of(world.api.read(reply.body()))
                                .filter(read -> read.getMetadata().getUid().equals(pod.uid()))),
                        failure -> {
                            if (failure.notFound()) {
                                found.accept(Optional.empty());
                            } else {
                                failed.accept(failure);
                            }
                        }));
    }

    private void quietly(PodRef pod, ApiRequest request) {
        inLane(
                pod,
                done -> make(
                        request, () -> {}, new Answer(reply -> done.run(), failure -> done.run())));
    }

    /** An event is for people: it takes its time in the lane, and what it says is not kept here. */
    private void tell(Runnable then) {
        boolean lost = draws.chance(world.faults.rates().apiLost());
        long takes = world.faults.delay(draws, 2 * MOST_DELAY, 2 * SLOWEST);
        process.after(lost ? TIMEOUT : takes, then);
    }

    private interface OnSuccess {
        Event event(ApiReply reply);
    }

    private interface OnFailure {
        Event event(ApiFailure failure);
    }

    private Answer answer(Runnable done, OnSuccess success, OnFailure failed) {
        return new Answer(
                reply -> {
                    sink.post(success.event(reply));
                    done.run();
                },
                failure -> {
                    sink.post(failed.event(failure));
                    done.run();
                });
    }

    void moveGroup(Effect.MoveGroup move) {
        GroupRef group = move.group().ref();
        inLane(
                group.toString(),
                done -> make(
                        ShellRequests.phase(move),
                        () -> world.tally.count("phases of groups"),
                        new Answer(reply -> done.run(), failure -> {
                            sink.post(new Event.GroupNotMoved(group, failure));
                            done.run();
                        })));
    }

    private void inLane(PodRef pod, Consumer<Runnable> work) {
        inLane(pod.uid(), work);
    }

    private void inLane(String name, Consumer<Runnable> work) {
        long ofTerm = term;
        Consumer<Runnable> guarded =
                done -> contender.whenDecided(ofTerm, () -> work.accept(done), done);
        Queue<Consumer<Runnable>> lane = lanes.get(name);
        if (lane != null) {
            lane.add(guarded);
            return;
        }
        lanes.put(name, new ArrayDeque<>());
        process.after(0, () -> guarded.accept(() -> next(name)));
    }

    private void next(String name) {
        Consumer<Runnable> work = lanes.get(name).poll();
        if (work == null) {
            lanes.remove(name);
        } else {
            process.after(0, () -> work.accept(() -> next(name)));
        }
    }

    private void make(ApiRequest request, Judge judge, Answer answer) {
        attempt(request, judge, answer, 1);
    }

    private void attempt(ApiRequest request, Judge judge, Answer answer, int tries) {
        Faults.Rates rates = world.faults.rates();
        long there = world.faults.delay(draws, MOST_DELAY, SLOWEST);
        if (draws.chance(rates.apiLost())) {
            lost(request, judge, answer, there);
        } else if (draws.chance(rates.apiError())) {
            int code = draws.pick(ERRORS);
            boolean read = request.method().equals("GET");
            ApiFailure failure = new ApiFailure(read && code == CONFLICT ? 500 : code, "drawn");
            world.tally.count("API errors");
            process.after(there, () -> failed(request, judge, answer, tries, failure));
        } else {
            world.time.after(there, () -> {
                ApiReply reply = carryOut(request, judge);
                process.after(world.faults.delay(draws, MOST_DELAY, SLOWEST), () -> {
                    if (reply.isSuccess()) {
                        answer.success().accept(reply);
                    } else {
                        failed(request, judge, answer, tries, failure(reply));
                    }
                });
            });
        }
    }

    private static ApiFailure failure(ApiReply reply) {
        return new ApiFailure(reply.code(), reply.body().path("message").asString(""));
    }

    private void failed(
            ApiRequest request, Judge judge, Answer answer, int tries, ApiFailure failure) {
        if (failure.status() == TOO_MANY && tries < MOST_TRIES) {
            process.after(PAUSE, () -> attempt(request, judge, answer, tries + 1));
        } else {
            answer.failure().accept(failure);
        }
    }

    /** The answer is lost, whether or not the call arrived; or it arrives after all that. */
    private void lost(ApiRequest request, Judge judge, Answer answer, long there) {
        world.tally.count("API answers lost");
        boolean silent = draws.chance(0.3);
        long until = there + (silent ? TIMEOUT : draws.between(1, 50));
        long late = until + draws.between(0, 8_000);
        boolean arrivesLate = draws.chance(0.5);
        boolean arrives = draws.chance(0.5);
        if (arrives || arrivesLate) {
            world.time.after(arrivesLate ? late : there, () -> carryOut(request, judge));
        }
        process.after(until, () -> answer.failure().accept(new ApiFailure(0, "no answer")));
    }

    private ApiReply carryOut(ApiRequest request, Judge judge) {
        ApiReply reply = world.api.call(request);
        world.time.trace(
                "api",
                () -> reply.code() + " " + request.method() + " " + request.path() + " "
                        + request.body());
        if (reply.isSuccess()) {
            judge.accepted();
        } else if (reply.code() == CONFLICT || reply.code() == NOT_FOUND) {
            world.tally.count("API calls refused by their preconditions");
        }
        return reply;
    }
}
