# etcd, kube-apiserver, kube-controller-manager and kube-scheduler, and the certificates of all.

start_control_plane() {
  local pki=$folder/pki
  make_authority
  certificate apiserver /CN=kube-apiserver "subjectAltName=IP:127.0.0.1,DNS:localhost"
  kubeconfig kubeconfig admin /O=system:masters/CN=admin
  kubeconfig controller-manager.kubeconfig controller-manager /CN=system:kube-controller-manager
  kubeconfig scheduler.kubeconfig scheduler /CN=system:kube-scheduler
  kubeconfig coordinator.kubeconfig coordinator /CN=cede-coordinator
  openssl genrsa -out "$pki/service-accounts.key" 2048 2>/dev/null
  openssl rsa -in "$pki/service-accounts.key" -pubout -out "$pki/service-accounts.pub" 2>/dev/null

  audit_policy >"$folder/audit-policy.yaml"

  # Nothing here has to outlive a crash of the machine, so etcd need not wait for the disk.
  daemon etcd "$folder/bin/etcd" --data-dir "$folder/etcd" --unsafe-no-fsync --log-level warn \
    --listen-client-urls "$(etcd_url)" --advertise-client-urls "$(etcd_url)" \
    --listen-peer-urls "http://127.0.0.1:$(port 2)"
  daemon kube-apiserver "$folder/bin/kube-apiserver" \
    --bind-address 127.0.0.1 --secure-port "$(port 0)" --endpoint-reconciler-type none \
    --etcd-servers "$(etcd_url)" --service-cluster-ip-range 10.96.0.0/16 \
    --tls-cert-file "$pki/apiserver.crt" --tls-private-key-file "$pki/apiserver.key" \
    --client-ca-file "$pki/ca.crt" --authorization-mode Node,RBAC \
    --enable-admission-plugins NodeRestriction --allow-privileged \
    --audit-policy-file "$folder/audit-policy.yaml" --audit-log-path "$folder/audit.log" \
    --service-account-issuer https://kubernetes.default.svc \
    --service-account-key-file "$pki/service-accounts.pub" \
    --service-account-signing-key-file "$pki/service-accounts.key"
  await kube-apiserver kubectl get --raw /readyz
  daemon kube-controller-manager "$folder/bin/kube-controller-manager" \
    --kubeconfig "$folder/controller-manager.kubeconfig" --leader-elect=false \
    --bind-address 127.0.0.1 --secure-port "$(port 3)" --use-service-account-credentials \
    --service-account-private-key-file "$pki/service-accounts.key" --root-ca-file "$pki/ca.crt"
  daemon kube-scheduler "$folder/bin/kube-scheduler" \
    --kubeconfig "$folder/scheduler.kubeconfig" --leader-elect=false \
    --bind-address 127.0.0.1 --secure-port "$(port 4)"
  kubectl apply -f "$root/deploy/manifests/base/20-coordinator-role.yaml" >/dev/null
  kubectl create clusterrolebinding cede-coordinator-of-tests --clusterrole cede-coordinator \
    --user cede-coordinator >/dev/null
}

# Which calls an installed coordinator makes, without their content.
audit_policy() {
  cat <<END
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Metadata
    users: ["system:serviceaccount:cede-system:cede-coordinator"]
  - level: None
END
}

etcd_url() {
  echo "http://127.0.0.1:$(port 1)"
}

has_service_account() {
  kubectl get serviceaccount default
}

make_authority() {
  openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj /CN=cede-testbed \
    -keyout "$folder/pki/ca.key" -out "$folder/pki/ca.crt" 2>/dev/null
}

# certificate NAME SUBJECT [EXTENSION]
certificate() {
  local base=$folder/pki/$1
  openssl req -new -newkey rsa:2048 -nodes -subj "$2" -keyout "$base.key" -out "$base.csr" 2>/dev/null
  openssl x509 -req -in "$base.csr" -CA "$folder/pki/ca.crt" -CAkey "$folder/pki/ca.key" \
    -CAcreateserial -days 365 -out "$base.crt" \
    -extfile <(printf '%s\n' "extendedKeyUsage=clientAuth,serverAuth" "${3:-}") 2>/dev/null
  rm "$base.csr"
}

# kubeconfig FILE NAME SUBJECT: with a certificate of its own.
kubeconfig() {
  certificate "$2" "$3"
  cat >"$folder/$1" <<END
apiVersion: v1
kind: Config
current-context: testbed
contexts:
  - name: testbed
    context: {cluster: testbed, user: $2}
clusters:
  - name: testbed
    cluster:
      server: https://127.0.0.1:$(port 0)
      certificate-authority: $folder/pki/ca.crt
users:
  - name: $2
    user:
      client-certificate: $folder/pki/$2.crt
      client-key: $folder/pki/$2.key
END
  chmod 600 "$folder/$1"
}
