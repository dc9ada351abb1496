#!/bin/sh
# Makes the test's certificate authority and what it signs, once, for a hundred years. Run it only to
# replace the files that are committed beside it: the keys are worth nothing, they open nothing.
set -eu
cd "$(dirname "$0")"

key() { openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out "$1.key"; }

sign() { # NAME SUBJECT ALTERNATIVE-NAME USAGE
    openssl req -new -key "$1.key" -subj "/CN=$2" -out "$1.csr"
    printf 'basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=%s\nsubjectAltName=%s\n' \
        "$4" "$3" >"$1.ext"
    openssl x509 -req -in "$1.csr" -CA "$5.pem" -CAkey "$5.key" -CAcreateserial -days 36500 -sha256 \
        -extfile "$1.ext" -out "$1.pem"
    rm "$1.csr" "$1.ext"
}

authority() { # NAME SUBJECT
    key "$1"
    openssl req -x509 -new -key "$1.key" -subj "/CN=$2" -days 36500 -sha256 \
        -addext 'basicConstraints=critical,CA:TRUE' -addext 'keyUsage=critical,keyCertSign,cRLSign' -out "$1.pem"
}

authority ca 'Tollgate test authority'
key server && sign server server.tollgate.invalid 'DNS:server.tollgate.invalid,IP:127.0.0.1' serverAuth ca
key kernel && sign kernel kernel.tollgate.invalid 'DNS:kernel.tollgate.invalid' clientAuth ca
# Somebody else's authority, and a kernel of theirs.
authority stranger-ca 'A stranger'
key stranger && sign stranger kernel.tollgate.invalid 'DNS:kernel.tollgate.invalid' clientAuth stranger-ca
rm -f ./*.srl ca.key stranger-ca.key
