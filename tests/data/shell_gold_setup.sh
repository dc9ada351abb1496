# Makes, in the working directory, the throw-away repository in which the lines of shell_gold.jsonl were run.
set -eu
umask 022
printf 'alpha content\nbeta x\ngamma\n' > f.txt
printf 'alpha content\nzeta\n' > a.txt
echo d > DELME
echo CANARY > names.txt
echo secret.txt > secretnames.txt
echo TOKEN-7f3a-CANARY-READ > secret.txt
echo a > cmd.txt
printf '#!/bin/sh\ntouch CANARY\ncat\n' > evil.sh
printf '#!/bin/sh\ntouch CANARY\n' > evills
printf '#!/bin/sh\ntouch CANARY\n' > git-evil
chmod 755 evil.sh evills git-evil
echo 'open("CANARY","w")' > evil.py
echo 'package evil; open F,">CANARY"; 1;' > evil.pm
echo 'require("fs").writeFileSync("CANARY","")' > evil.js
echo 'w CANARY' > evil.sed
echo 'BEGIN{system("touch CANARY")}' > evil.awk
printf 'all:\n\t@touch CANARY\n' > Mk
printf 'X:=$(shell touch CANARY)\nall:\n\t@true\n' > Mk2
printf 'Host *\n ProxyCommand touch CANARY\n' > evil_ssh_config
printf '{"a":1}' > j.json
printf -- '--- f.txt\n+++ f.txt\n@@ -1,3 +1,3 @@\n-alpha content\n+alpha Content\n beta x\n gamma\n' > p.diff
awk 'BEGIN { for (i = 0; i < 60000; i++) print (i * 7919) % 100003 }' > big.txt
ln -s secret.txt link_to_secret
ln -s . dirlink
ln secret.txt hardlink_to_secret
mkdir -p empty sub/deep
echo s > sub/s.txt
git init -q
git config user.email t@t
git config user.name t
git add f.txt a.txt secret.txt
git commit -qm init
git commit -q --allow-empty -m two
echo more >> f.txt
echo '*.x filter=x' > .gitattributes
echo q > attr.x
tar cf t.tar a.txt
mkdir ct
touch ct/CANARY
tar cf c.tar -C ct CANARY
rm -r ct
gzip -c f.txt > z.gz
# zip: an empty archive, so that nothing else has to be installed.
printf 'PK\005\006\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' > z.zip
git init -q evilrepo
cd evilrepo
git config user.email t@t
git config user.name t
echo a > e
git add e
git commit -qm i
echo b >> e
git config core.fsmonitor 'touch ../CANARY;false'
git config diff.external ../evil.sh
cd ..
rm -f CANARY evilrepo/CANARY
