package dev.cede.nvml.sim;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;

/** The compiled C programs that come with this module, as files that can be loaded or started. */
public final class NativeBinaries {
    private static final Map<String, Path> FOUND = new TreeMap<>();

    private NativeBinaries() {}

    /** The simulated driver library. */
    public static Path nvmlSim() {
        return find("libnvidia-ml-sim.so");
    }

    /** The program that holds memory of simulated cards; {@code --help} tells its options. */
    public static Path gpuHog() {
        return find("gpu-hog");
    }

    private static synchronized Path find(String name) {
        return FOUND.computeIfAbsent(name, NativeBinaries::locate);
    }

    private static Path locate(String name) {
        String resource = "/dev/cede/native/linux-" + architecture() + "/" + name;
        URL url = NativeBinaries.class.getResource(resource);
        if (url == null) {
            throw new IllegalStateException("this build of Cede has no " + resource
                    + "; it was built on a machine of another kind");
        }
        try {
            return url.getProtocol().equals("file") ? Path.of(url.toURI()) : extract(url, name);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot unpack " + resource, e);
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Path extract(URL url, String name) throws IOException {
        Path folder = Files.createTempDirectory("cede-native");
        Path file = folder.resolve(name);
        try (InputStream in = url.openStream()) {
            Files.copy(in, file);
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        folder.toFile().deleteOnExit(); // deleted in reverse order: the file first
        file.toFile().deleteOnExit();
        return file;
    }

    private static String architecture() {
        String name = System.getProperty("os.arch");
        return name.equals("amd64") ? "x86_64" : name;
    }
}
