import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The prefix of commands that need root: in CI sudo without a password; undefined where there is no way. */
const asRoot = process.getuid?.() === 0 ? [] : process.env.CI ? ['sudo', '-n'] : undefined;

/** A separate file system that fills up soon. */
export class SmallDisk {
  readonly dataDir: string;
  private readonly ballast: string;

  private constructor(private readonly dir: string) {
    this.dataDir = join(dir, 'data');
    this.ballast = join(dir, 'ballast');
  }

  /** True when this process may mount one. */
  static isPossible(): boolean {
    try {
      SmallDisk.mount(65_536, 0).unmount();
      return true;
    } catch {
      return false;
    }
  }

  /** Mounts one of `bytes` in total; a file of `ballastBytes` occupies a part until `throwOffBallast`. */
  static mount(bytes: number, ballastBytes: number): SmallDisk {
    const dir = mkdtempSync(join(tmpdir(), 'logbook-disk-'));
    try {
      runAsRoot('mount', '-t', 'tmpfs', '-o', `size=${bytes},mode=0777`, 'tmpfs', dir);
    } catch (error) {
      rmdirSync(dir);
      throw error;
    }
    const disk = new SmallDisk(dir);
    mkdirSync(disk.dataDir);
    writeFileSync(disk.ballast, Buffer.alloc(ballastBytes));
    return disk;
  }

  /** Grows the ballast until no space is left. */
  fillUp(): void {
    try {
      for (;;) appendFileSync(this.ballast, Buffer.alloc(4_096));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  /** Fills the disk up to this much free space, in pages of 4 kB. */
  fillUpTo(freePages: number): void {
    this.fillUp();
    truncateSync(this.ballast, statSync(this.ballast).size - freePages * 4_096);
  }

  throwOffBallast(): void {
    rmSync(this.ballast);
  }

  unmount(): void {
    // A closed database may hold its file open until the garbage collector frees its statements.
    runAsRoot('umount', '--lazy', this.dir);
    rmdirSync(this.dir);
  }
}

function runAsRoot(...words: string[]): void {
  if (asRoot === undefined) throw new Error('only root can mount a file system');
  const [command = '', ...args] = [...asRoot, ...words];
  execFileSync(command, args, { stdio: 'pipe' });
}
