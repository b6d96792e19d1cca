import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { productDir, productVersion } from '../../src/kernel/product.js';
import { debianBase, Machine, whyNoMachine } from './machine.js';
import { derivePackages, makeRelease, type Packages } from './make-packages.js';

const reason = process.env.LOGBOOK_NO_DEBIAN === undefined ? whyNoMachine() : `${debianBase} could not be made`;
const configuration = '/etc/logbook/logbook.properties';
const entry = JSON.stringify({ title: 'Kept', logbooks: [{ name: 'operations' }] });

// With CI set, a missing program is a failure; .ci/run says when there is no base.
describe.skipIf(process.env.LOGBOOK_NO_DEBIAN !== undefined || (process.env.CI === undefined && reason !== undefined))(
  `packages on Debian 12${reason === undefined ? '' : ` (${reason})`}`,
  () => {
    let dir: string;
    let machine: Machine;
    let packages: Packages;

    beforeAll(async () => {
      dir = await mkdtemp(join(tmpdir(), 'logbook-packages-'));
      makeRelease(productDir, join(dir, 'release'));
      packages = await derivePackages(join(dir, 'release'), productVersion, dir);
      machine = await Machine.create();
      mkdirSync(join(machine.root, 'packages'));
      for (const file of Object.values(packages).flat()) copyFileSync(file, inMachine(file));
      await machine.boot();
    }, 1_800_000);

    afterAll(async () => {
      await machine?.remove();
      if (dir !== undefined) await rm(dir, { recursive: true, force: true });
    });

    const inMachine = (file: string) => join(machine.root, 'packages', basename(file));
    const install = (file: string) => machine.try(`dpkg -i /packages/${basename(file)}`);
    const mainPid = async () => (await machine.run('systemctl show -P MainPID logbook')).trim();
    const health = () => machine.run('logbook health --ready');
    const find = () => `${get} '/logbook/logs/search?title=Kept'`;
    const get = `/usr/lib/logbook/bin/node -e "fetch('http://127.0.0.1:8080'+process.argv[1]).then(r=>r.text()).then(console.log)"`;
    /** A new installation has no sign-in. */
    const signIn = `echo 'authenticationProviders = inMemory' >> ${configuration}`;
    const write = async () => {
      const send = `fetch('http://127.0.0.1:8080/logbook/logs',{method:'PUT',headers:{authorization:'Basic '+btoa('user:userPass'),'content-type':'application/json'},body:process.argv[1]}).then(r=>console.log(r.status))`;
      expect(await machine.run(`$(command -v node || echo /usr/lib/logbook/bin/node) -e "${send}" '${entry}'`)).toBe(
        '200\n',
      );
    };
    /** Expects that nothing is half-installed, no question is asked, and nothing differs from the package. */
    const expectClean = async () => expect(await machine.run('dpkg --audit; dpkg --verify logbook')).toBe('');
    const processes = async () => (await machine.try('cat /proc/[0-9]*/cmdline | tr "\\0" " "')).output;

    test('a new installation waits for its configuration, then starts with a bundled Node.js, ready when systemd says so', async () => {
      expect((await install(packages.debian)).code).toBe(0);
      await expectClean();
      expect(await machine.run(`stat -c '%a %U %G' /etc/logbook ${configuration} /var/lib/logbook`)).toBe(
        '750 root logbook\n640 root logbook\n700 logbook logbook\n',
      );
      expect((await machine.try('systemctl is-active logbook')).output).toBe('inactive\n');
      await machine.run(signIn);
      await machine.run(
        `setpriv --reuid logbook --regid logbook --clear-groups logbook check --config ${configuration}`,
      );
      await machine.run('systemctl enable --now logbook');
      // Type=notify: no waiting.
      await health();
      await write();
      expect(await machine.run('systemctl show -P StatusText logbook')).toContain('Listening at http://127.0.0.1:8080');
      expect(await machine.run(`readlink /proc/${await mainPid()}/exe`)).toBe('/usr/lib/logbook/bin/node\n');
      expect(await machine.run('systemd-analyze security --no-pager --threshold=20 logbook')).toMatch(
        /Overall exposure level for logbook.service: [01]\.\d /,
      );
      expect(await machine.run('journalctl --unit logbook | grep -i "mode is different" || true')).toBe('');
      await expect
        .poll(() => machine.run('journalctl --identifier logbook --no-pager --output cat'))
        .toContain('"listening"');
    });

    test('reload keeps the process; a hung one is restarted', async () => {
      const before = await mainPid();
      await machine.run('systemctl reload logbook');
      expect(await mainPid()).toBe(before);
      await machine.run('mkdir -p /run/systemd/system/logbook.service.d');
      await machine.run(
        'printf "[Service]\\nWatchdogSec=2\\nRestartSec=0\\n" > /run/systemd/system/logbook.service.d/fast.conf',
      );
      await machine.run('systemctl daemon-reload; systemctl restart logbook');
      await machine.run('systemctl kill --kill-whom=main --signal=STOP logbook');
      await expect.poll(async () => (await machine.try('systemctl show -P NRestarts logbook')).output).not.toBe('0\n');
      await machine.run(
        'rm -r /run/systemd/system/logbook.service.d; systemctl daemon-reload; systemctl restart logbook',
      );
      await health();
    });

    test('an unattended upgrade keeps a modified configuration, asks nothing, and restarts the service while connections to its socket wait', async () => {
      await machine.run('systemctl stop logbook; systemctl enable --now logbook.socket; systemctl start logbook');
      await machine.run(`echo 'maxEntrySize = 2MB' >> ${configuration}; md5sum ${configuration} > /root/sum`);
      const before = await mainPid();
      const requests = machine.spawnInNetwork(process.execPath, [join(productDir, 'test/packages/requests.mjs')]);
      const { code, output } = await install(packages.nextDebian);
      expect([code, output]).toEqual([0, expect.not.stringContaining('has not started')]);
      await health();
      requests.kill('SIGTERM');
      const [longest] = (await once(requests.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
      machine.note(`longest time without an answer during the upgrade: ${longest}`);
      expect(String(longest)).toContain(' ms, 0 refused');
      await machine.run('md5sum --check /root/sum');
      expect(await mainPid()).not.toBe(before);
      expect(await machine.run('ls /var/cache/logbook')).toMatch(/^v\d+/);
      expect(await machine.run(find())).toContain('"Kept"');
      await expectClean();
    });

    test('after a reboot the service runs', async () => {
      await machine.shutDown();
      await machine.boot();
      await machine.run('systemctl is-active logbook');
      expect(await machine.run(find())).toContain('"Kept"');
    });

    test('a wrong configuration is an error of the journal, and neither restarts forever nor leaves a broken package', async () => {
      await machine.run(`echo 'httpPort = eighty' >> ${configuration}`);
      const { code, output } = await install(packages.nextDebian);
      expect([code, output]).toEqual([0, expect.stringContaining('its service has not started')]);
      await expectClean();
      expect(await machine.run('systemctl show -P Result,NRestarts logbook')).toBe('exit-code\n0\n');
      await expect.poll(() => machine.run('journalctl --unit logbook --priority err --output cat')).toContain('eighty');
      await machine.run(`sed -i '$d' ${configuration}; systemctl reset-failed logbook; systemctl start logbook`);
    });

    test('remove stops the service first, and leaves configuration and data; purge leaves the data', async () => {
      await machine.run('dpkg --remove logbook');
      expect(await processes()).not.toContain('main.js');
      expect(
        await machine.run(
          'dpkg --audit; systemctl list-units --failed --plain --no-legend; find /etc/systemd -name "logbook*"',
        ),
      ).toBe('');
      await machine.run(`md5sum --check /root/sum`);
      expect((await install(packages.debian)).code).toBe(0);
      await machine.run('systemctl start logbook');
      expect(await machine.run(find())).toContain('"Kept"');
      await machine.run('dpkg --purge logbook');
      expect(await processes()).not.toContain('main.js');
      expect((await machine.try(`ls /etc/logbook`)).code).not.toBe(0);
      expect((await machine.try(`ls /var/cache/logbook`)).code).not.toBe(0);
      expect(await machine.run('stat -c %U /var/lib/logbook/logbook.sqlite; dpkg --audit')).toBe('logbook\n');
    });

    test('an earlier package with a modified conffile, stuck in a question, is replaced: its configuration stays, its process does not', async () => {
      await install(packages.nodejs);
      expect((await install(packages.earlier[0])).code).toBe(0);
      await machine.run(signIn);
      await machine.run(`echo 'maxEntrySize = 3MB' >> ${configuration}; md5sum ${configuration} > /root/sum`);
      await machine.run('systemctl enable --now logbook');
      const before = await mainPid();
      // The failure that the layout had.
      expect((await install(packages.earlier[1])).code).not.toBe(0);
      expect((await install(packages.debian)).code).toBe(0);
      await machine.run('md5sum --check /root/sum');
      // dpkg still knows the former conffile, and says that it is modified.
      expect(await machine.run('dpkg --audit; dpkg --verify logbook | grep -v " c /etc/" || true')).toBe('');
      expect(await mainPid()).not.toBe(before);
      await health();
      expect(await machine.run(find())).toContain('"Kept"');
      expect(await machine.run(`readlink /proc/${await mainPid()}/exe`)).toBe('/usr/lib/logbook/bin/node\n');
      // Only unpacked, dpkg runs no prerm.
      await machine.run(`dpkg --unpack /packages/${basename(packages.nextDebian)}`);
      await machine.run('dpkg --remove logbook');
      expect(await processes()).not.toContain('main.js');
      await machine.run('dpkg --purge logbook nodejs');
      expect(await machine.run('dpkg --audit')).toBe('');
    });

    test('the RPM installs, upgrades with a modified configuration, and is removed without configuration and data', async () => {
      await machine.run('rm -rf /var/lib/logbook');
      await machine.run(`rpm --install --nodeps /packages/${basename(packages.rpm)}`);
      expect(await machine.run(`stat -c '%a %U %G' /etc/logbook ${configuration} /var/lib/logbook`)).toBe(
        '750 root logbook\n640 root logbook\n700 logbook logbook\n',
      );
      await machine.run(signIn);
      await machine.run('systemctl enable --now logbook');
      await health();
      await write();
      await machine.run(`echo 'maxEntrySize = 2MB' >> ${configuration}; md5sum ${configuration} > /root/sum`);
      const before = await mainPid();
      expect(await machine.run(`rpm --upgrade --nodeps /packages/${basename(packages.nextRpm)}`)).not.toContain(
        'has not started',
      );
      expect(await mainPid()).not.toBe(before);
      await machine.run('md5sum --check /root/sum; rpm --verify --nodeps logbook');
      expect(await machine.run(find())).toContain('"Kept"');
      await machine.run('rpm --erase logbook');
      expect(await processes()).not.toContain('main.js');
      await machine.run(
        'md5sum --check /root/sum; test -e /var/lib/logbook/logbook.sqlite; test ! -e /usr/lib/logbook',
      );
    });

    test('a build in another folder gives the same bytes', async () => {
      const copy = join(dir, 'another', 'folder');
      const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
        cwd: productDir,
        encoding: 'utf8',
      });
      for (const file of files.split('\0').filter(Boolean)) {
        mkdirSync(join(copy, dirname(file)), { recursive: true });
        cpSync(join(productDir, file), join(copy, file));
      }
      execFileSync('cp', ['-a', '--link', join(productDir, 'node_modules'), join(copy, 'node_modules')]);
      execFileSync('npm', ['run', '--silent', 'build'], { cwd: copy, stdio: 'ignore' });
      makeRelease(copy, join(dir, 'again'));
      const names = readdirSync(join(dir, 'release'));
      // Two more where Python can build.
      expect([5, 7]).toContain(names.length);
      const differing = names.filter(
        (name) => !readFileSync(join(dir, 'release', name)).equals(readFileSync(join(dir, 'again', name))),
      );
      expect(differing).toEqual([]);
      const { metadata } = JSON.parse(
        readFileSync(join(dir, 'again', `logbook-service-${productVersion}.cdx.json`), 'utf8'),
      );
      expect(metadata.component.name).toBe('logbook-service');
    });
  },
);
