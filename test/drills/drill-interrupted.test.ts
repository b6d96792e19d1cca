import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { productDir } from '../../src/kernel/product.js';
import { findCompatibleVersion } from '../drill/earlier-version.js';
import { hasHaproxy } from '../fixtures/haproxy.js';
import { hasPostgres } from '../fixtures/postgres-engine.js';
import { hasS3Server } from '../fixtures/s3-server.js';
import { makeTempDir } from '../fixtures/service.js';

/** The command lines of processes, and the least number of each. */
type Started = readonly (readonly [RegExp, number])[];

const program = (name: string) => join(productDir, 'dist', 'bench', name);

/** The ids of all, the oldest first. */
function processes(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** The command lines of the processes that a process has started, directly or indirectly, by id. */
function descendants(pid: number): Map<number, string> {
  const found = new Map<number, string>();
  const parents = new Set([pid]);
  for (const id of processes()) {
    const stat = read(`/proc/${id}/stat`);
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (!parents.has(Number(parent))) continue;
    parents.add(id);
    found.set(id, read(`/proc/${id}/cmdline`).replaceAll('\0', ' '));
  }
  return found;
}

/** Empty when it has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

describe.skipIf(!hasPostgres || !hasS3Server)(
  'what starts servers and is interrupted (needs PostgreSQL and versitygw)',
  () => {
    let dir: string;
    let child: ChildProcess | undefined;
    beforeEach(async () => {
      dir = await makeTempDir();
      // PostgreSQL runs as another user when the tests run as root.
      await chmod(dir, 0o755);
    });
    afterEach(async () => {
      if (child?.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
      await rm(dir, { recursive: true, force: true });
    });
    /**
     * Runs a program, and interrupts it when it has started these numbers of processes of each kind and printed this.
     */
    async function interrupt([name = '', ...args]: readonly string[], started: Started, output: RegExp): Promise<void> {
      const running = spawn(process.execPath, ['--expose-gc', program(name), ...args], {
        cwd: dir,
        env: { ...process.env, TMPDIR: dir },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = running;
      const ended = once(running, 'exit');
      const closed = once(running, 'close');
      let text = '';
      let errors = '';
      running.stdout.on('data', (chunk) => {
        text += String(chunk);
      });
      running.stderr.on('data', (chunk) => {
        errors += String(chunk);
      });
      const pid = running.pid ?? expect.fail();
      const all = new Map<number, string>();
      const isComplete = () => {
        // A process that is ending has no command line.
        for (const [id, command] of descendants(pid)) if (command !== '') all.set(id, command);
        const count = (pattern: RegExp) => [...all.values()].filter((command) => pattern.test(command)).length;
        return output.test(text) && started.every(([pattern, least]) => count(pattern) >= least);
      };
      while (!isComplete()) {
        const end = running.signalCode ?? running.exitCode;
        // Its last words may be read after its exit.
        if (end !== null) await closed;
        expect(end, `${text}\n${errors}`).toBeNull();
        await sleep(20);
      }
      running.kill('SIGINT');
      expect(await ended).toEqual([130, null]);
      // Processes that were started before the signal, and after it.
      const left = () => [
        ...[...all.keys()].filter((id) => read(`/proc/${id}/stat`) !== ''),
        ...processes().filter((id) => read(`/proc/${id}/environ`).includes(`TMPDIR=${dir}\0`)),
      ];
      await expect.poll(left).toEqual([]);
      expect((await readdir(dir)).filter((file) => file !== 'corpus')).toEqual([]);
    }

    const drill = ['drill.js', '--seconds', '100', '--nodes', '2', '--blobs', 's3'];

    test.each<[what: string, args: readonly string[], started: Started, output: RegExp]>([
      ['a drill while its servers start', drill, [[/postgres -D/, 1]], /^/],
      // One of two nodes was killed and has restarted.
      [
        'a drill under load',
        drill,
        [
          [/postgres -D/, 2],
          [/versitygw/, 1],
          [/src\/main[.]js.*-Dstorage=postgres/, 3],
        ],
        /^/,
      ],
      [
        'a comparison of clusters',
        ['cluster/main.js', '--entries', '500', '--nodes', '1', '--seconds', '20', '--dir', 'corpus'],
        [
          [/postgres -D/, 1],
          [/src\/main[.]js/, 2],
        ],
        /node 1 ready/,
      ],
      ['a table of costs', ['capacity.js', '200000'], [[/postgres -D/, 1]], /^/],
      ['a comparison of new nodes', ['new-node.js', '300', '1000'], [[/postgres -D/, 1]], /ready from the feed/],
    ])('%s ends all of it and removes its files', async (_, args, started, output) => interrupt(args, started, output));

    test.skipIf(!hasHaproxy || findCompatibleVersion() === undefined)(
      'an upgrade ends all of it and removes its files (needs HAProxy and the history of the checkout)',
      () =>
        interrupt(
          ['upgrade-drill.js', '--nodes', '2'],
          [
            [/postgres -D/, 1],
            [/haproxy/, 1],
            [/src\/main[.]js/, 3],
          ],
          /migrated/,
        ),
    );
  },
);
