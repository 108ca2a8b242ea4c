package dev.cede.coordinator.identity;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.X509Certificate;
import java.util.Optional;

import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * What the other side of a call shows.
 *
 * @param host its address, without the port: that one changes with each try
 * @param token bearer token, never to be logged
 * @param certificate of its TLS session, where our trust covers it
 */
public record Caller(String host, Optional<String> token, Optional<X509Certificate> certificate) {
    private static final Context.Key<Caller> CURRENT = Context.key("cede-caller");
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final String BEARER = "Bearer ";

    /** Of the call that is being opened, in a service behind {@link #interceptor}. */
    public static Caller current() {
        return CURRENT.get();
    }

    public static ServerInterceptor interceptor() {
        return new ServerInterceptor() {
            @Override
            public <Q, A> ServerCall.Listener<Q> interceptCall(
                    ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
                Context context = Context.current().withValue(CURRENT, of(call, headers));
                return Contexts.interceptCall(context, call, headers, next);
            }
        };
    }

    private static Caller of(ServerCall<?, ?> call, Metadata headers) {
        return new Caller(
                host(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)),
                Optional.ofNullable(headers.get(AUTHORIZATION))
                        .filter(value -> value.startsWith(BEARER))
                        .map(value -> value.substring(BEARER.length())),
                Optional.ofNullable(call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION))
                        .flatMap(Caller::certificate));
    }

    private static String host(SocketAddress address) {
        return address instanceof InetSocketAddress inet
                ? inet.getAddress().getHostAddress()
                : String.valueOf(address);
    }

    private static Optional<X509Certificate> certificate(SSLSession session) {
        try {
            return Optional.of((X509Certificate) session.getPeerCertificates()[0]);
        } catch (SSLPeerUnverifiedException e) {
            return Optional.empty();
        }
    }

    @Override
    public String toString() {
        return host;
    }
}
