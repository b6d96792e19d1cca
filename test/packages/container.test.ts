import { execFile, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { productDir } from '../../src/kernel/product.js';
import { debianBase, isInstalled } from './machine.js';

const execute = promisify(execFile);

function whyNoContainer(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs Linux and root';
  const missing = ['buildah', 'podman', 'runc'].filter(
    (program) => !isInstalled(program) && !existsSync(`/usr/sbin/${program}`),
  );
  if (missing.length > 0) return `needs ${missing.join(', ')}`;
  return existsSync(debianBase) ? undefined : `needs ${debianBase}, which .ci/run makes`;
}

/** Mounts in a directory, the innermost first. */
function mountsBelow(dir: string): string[] {
  const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  return lines
    .map((line) => line.split(' ')[4] ?? '')
    .filter((path) => path.startsWith(`${dir}/`))
    .reverse();
}

const reason = whyNoContainer();

describe.skipIf(process.env.LOGBOOK_NO_DEBIAN !== undefined || (process.env.CI === undefined && reason !== undefined))(
  `the container image${reason === undefined ? '' : ` (${reason})`}`,
  () => {
    let dir: string;
    /** Programs that hang end by this time, so that nothing runs when the directory is removed. */
    let deadlineMs: number;
    beforeAll(async () => {
      deadlineMs = Date.now() + 1_500_000;
      dir = await mkdtemp(join(tmpdir(), 'logbook-container-'));
      await makeBase();
      await build();
    }, 1_800_000);

    beforeEach(() => {
      deadlineMs = Date.now() + 540_000;
    });

    afterAll(async () => {
      if (dir === undefined) return;
      deadlineMs = Date.now() + 60_000;
      await podman('rm --force --all --time 0').catch(() => undefined);
      // A program that was stopped may still mount something.
      await vi.waitUntil(isRemoved, { timeout: 300_000, interval: 1_000 });
    });

    async function isRemoved(): Promise<boolean> {
      for (const mount of mountsBelow(dir)) execFileSync('umount', ['--lazy', mount]);
      return rm(dir, { recursive: true, force: true }).then(
        () => true,
        () => false,
      );
    }

    // Images, containers and volumes are only in this directory.
    const run = async (program: string, words: string, more: readonly string[]) => {
      const args = [`--root=${dir}/root`, `--runroot=${dir}/run`, ...words.split(' '), ...more];
      // Podman has no timers for health checks if systemd is missing; the tests run them.
      const env = { ...process.env, DISABLE_HC_SYSTEMD: 'true' };
      const { stdout } = await execute(program, args, {
        env,
        maxBuffer: 1e8,
        timeout: Math.max(1, deadlineMs - Date.now()),
      });
      return stdout.trim();
    };
    const buildah = (words: string) => run('buildah', words, []);
    const podman = (words: string, ...more: string[]) =>
      run('podman', `--runtime=runc --cgroup-manager=cgroupfs --tmpdir=${dir}/tmp ${words}`, more);

    /** Makes an image of a minimal Debian with this Node.js and its npm, in place of the one from a registry. */
    async function makeBase(): Promise<void> {
      const bin = join(dir, 'bin');
      await mkdir(bin);
      const npm = await realpath(join(dirname(process.execPath), 'npm'));
      await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(bin, 'npm'));
      const container = await buildah('from scratch');
      const add = (from: string, to: string) => buildah(`add --quiet ${container} ${from} ${to}`);
      await add(debianBase, '/');
      await add(process.execPath, '/usr/local/bin/node');
      await add(dirname(dirname(npm)), '/usr/local/lib/node_modules/npm');
      await add(bin, '/usr/local/bin');
      await buildah(`config --env PATH=/usr/local/bin:/usr/bin:/bin ${container}`);
      await buildah(`commit --quiet --rm ${container} base`);
    }

    async function build(): Promise<void> {
      const { NODE_EXTRA_CA_CERTS: authorities } = process.env;
      const cache = join(homedir(), '.npm');
      await mkdir(cache, { recursive: true });
      const secret = authorities === undefined ? '' : `--secret id=ca,src=${authorities} `;
      const base = `--build-arg NODE_IMAGE=localhost/base --volume ${cache}:/root/.npm ${secret}`;
      const how = '--format docker --isolation chroot --network host';
      await buildah(`bud ${how} ${base}-f deploy/container/Dockerfile -t logbook ${productDir}`);
    }

    /** Starts it read-only, as a user without rights, without a network. */
    const start = (name: string, options: string, args = '') => {
      const limits =
        '--network none --read-only --cap-drop all --security-opt no-new-privileges --ulimit nofile=1024:1024 --ulimit nproc=1024:1024';
      const signIn = '--env LOGBOOK_AUTHENTICATION_PROVIDERS=inMemory';
      const how = `${limits} ${signIn} --volume data:/var/lib/logbook ${options}`;
      return podman(`run --detach --name ${name} ${how} localhost/logbook ${args}`.trim().replace(/ +/g, ' '));
    };
    const becomesHealthy = (name: string) =>
      expect
        .poll(() =>
          podman(`healthcheck run ${name}`).then(
            () => 'healthy',
            () => 'unhealthy',
          ),
        )
        .toBe('healthy');
    /** Runs a script inside the container, the only place from which the service is reached. */
    const runIn = (name: string, script: string) => podman(`exec ${name} node -e`, script);

    test('is healthy on the port that the environment configures, stops in good order and keeps its volume', async () => {
      await start('first', '--env LOGBOOK_HTTP_PORT=9090 --env LOGBOOK_HTTPS_PORT=off');
      await becomesHealthy('first');
      expect(await runIn('first', write)).toBe('200');
      await podman('stop --time 60 first');
      expect(await podman('inspect --format {{.State.ExitCode}} first')).toBe('0');
      // The arguments alone configure it, with TLS only.
      await start('second', '', 'serve --http-port off --https-port 9443');
      await becomesHealthy('second');
      expect(await runIn('second', find)).toContain('"Kept"');
    });

    test('is healthy on the port of a configuration file, and unhealthy when the service hangs', async () => {
      const file = join(dir, 'logbook.properties');
      await writeFile(file, 'httpPort = 7070\nhttpsPort = off\n');
      const configuration = '/etc/logbook/logbook.properties';
      await start(
        'third',
        `--volume ${file}:${configuration}:ro`,
        `serve --config ${configuration} --data-dir /tmp/data`,
      );
      await becomesHealthy('third');
      await podman('kill --signal STOP third');
      await expect(podman('healthcheck run third')).rejects.toThrow();
      await podman('kill --signal KILL third');
    });
  },
);

const write = `fetch('http://127.0.0.1:9090/logbook/logs', {
  method: 'PUT',
  headers: { authorization: 'Basic ' + btoa('user:userPass'), 'content-type': 'application/json' },
  body: JSON.stringify({ title: 'Kept', logbooks: [{ name: 'operations' }] }),
}).then((r) => console.log(r.status))`;

const find = `process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
fetch('https://127.0.0.1:9443/logbook/logs/search?title=Kept').then((r) => r.text()).then(console.log)`;
