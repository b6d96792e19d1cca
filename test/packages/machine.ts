import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** A minimal Debian, which `.ci/run` makes. */
export const debianBase = join(
  process.env.LOGBOOK_TEST_CACHE ?? join(homedir(), '.cache', 'logbook-test'),
  'debian-12.tar.gz',
);

/** Reason for which no machine can be started here; undefined when one can. */
export function whyNoMachine(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs Linux and root';
  const missing = ['systemd-nspawn', 'nsenter', 'rpmbuild', 'dpkg-deb'].filter((program) => !isInstalled(program));
  if (missing.length > 0) return `needs ${missing.join(', ')}`;
  return existsSync(debianBase) ? undefined : `needs ${debianBase}, which .ci/run makes`;
}

export function isInstalled(program: string): boolean {
  return ['/usr/bin', '/usr/sbin', '/bin', '/sbin'].some((dir) => existsSync(join(dir, program)));
}

export interface Done {
  readonly code: number;
  /** Both outputs, in their order. */
  readonly output: string;
}

/** A booted Debian with systemd in a container, whose network is its own loopback. */
export class Machine {
  private booted: ChildProcess | undefined;
  private leader = '';

  private constructor(readonly root: string) {}

  /** Unpacks the base into a temporary directory. */
  static async create(): Promise<Machine> {
    const root = await mkdtemp(join(tmpdir(), 'logbook-machine-'));
    execFileSync('tar', ['-xzf', debianBase, '-C', root]);
    return new Machine(root);
  }

  /** Boots; resolves when systemd has started everything. */
  async boot(): Promise<void> {
    const flags = ['--quiet', '--boot', '--register=no', '--keep-unit', '--private-network', '--console=pipe'];
    const child = spawn('systemd-nspawn', [...flags, `--machine=${basename(this.root)}`, '-D', this.root], {
      stdio: 'ignore',
    });
    this.booted = child;
    const children = `/proc/${child.pid}/task/${child.pid}/children`;
    for (let state = ''; state !== 'running'; await new Promise((resolve) => setTimeout(resolve, 100))) {
      if (child.exitCode !== null) throw new Error(`systemd-nspawn ended with ${child.exitCode}`);
      if (state === 'degraded') throw new Error(await this.run('systemctl --failed --no-pager'));
      this.leader = (await readFile(children, 'utf8')).trim();
      if (this.leader !== '') state = (await this.try('systemctl is-system-running')).output.trim();
    }
  }

  /** Runs a command in the machine without a terminal, and records it in the file LOGBOOK_TEST_REHEARSAL_LOG. */
  async try(command: string): Promise<Done> {
    const args = ['--target', this.leader, '--all', '/bin/sh', '-c', `exec 2>&1 </dev/null; ${command}`];
    const done = await new Promise<Done>((resolve) => {
      const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' };
      execFile('nsenter', args, { env, maxBuffer: 1e8 }, (error, output) => {
        resolve({ code: error ? Number(error.code ?? 1) : 0, output });
      });
    });
    if (!command.startsWith('systemctl is-system-running')) {
      this.note(`# ${command}\n${done.output}${done.code === 0 ? '' : `(exit code ${done.code})\n`}`);
    }
    return done;
  }

  note(text: string): void {
    const log = process.env.LOGBOOK_TEST_REHEARSAL_LOG;
    if (log !== undefined) appendFileSync(log, text);
  }

  /** Runs a command that succeeds, and returns its output. */
  async run(command: string): Promise<string> {
    const { code, output } = await this.try(command);
    if (code !== 0) throw new Error(`${command}: exit code ${code}\n${output}`);
    return output;
  }

  /** Runs a program of this machine in the network of the other one. */
  spawnInNetwork(command: string, args: readonly string[]): ChildProcess {
    return spawn('nsenter', ['--target', this.leader, '--net', command, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  async shutDown(): Promise<void> {
    const { booted } = this;
    this.booted = undefined;
    if (!booted || booted.exitCode !== null || booted.signalCode !== null) return;
    const ended = once(booted, 'exit');
    // systemd-nspawn then has systemd power off; a second one ends everything immediately.
    booted.kill('SIGTERM');
    const late = setTimeout(() => booted.kill('SIGTERM'), 60_000);
    await ended;
    clearTimeout(late);
  }

  /** Shuts down and removes everything. */
  async remove(): Promise<void> {
    await this.shutDown();
    await rm(this.root, { recursive: true, force: true });
  }
}
