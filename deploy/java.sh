# Finds a JDK; sourced by the scripts that need one.

least_java=21

# The number before the first dot, such as 21; nothing if this is no java.
java_release() {
  "$1" -XshowSettings:properties -version 2>&1 |
    sed -n 's/^ *java\.specification\.version = \([0-9]*\).*/\1/p'
}

# JAVA_HOME and the path first, then where Linux distributions keep JDKs beside the usual one.
find_java() {
  local home candidate release
  for home in "${JAVA_HOME:-}" "$(dirname "$(dirname "$(readlink -f "$(command -v java)" || true)")")" \
    /usr/lib/jvm/* /opt/*jdk* "$HOME"/.sdkman/candidates/java/*; do
    candidate=$home/bin/java
    [ -x "$candidate" ] && [ -x "$home/bin/javac" ] || continue
    release=$(java_release "$candidate")
    if [ -n "$release" ] && [ "$release" -ge "$least_java" ]; then
      echo "$candidate"
      return
    fi
  done
}
