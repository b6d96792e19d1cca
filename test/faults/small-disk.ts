import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where nobody watches, the right to mount may be asked of sudo; elsewhere only root has it. */
const asRoot = process.getuid?.() === 0 ? [] : process.env.CI ? ['sudo', '-n'] : undefined;

/** A file system of its own, soon full. */
export class SmallDisk {
  readonly dataDir: string;
  private readonly ballast: string;

  private constructor(private readonly dir: string) {
    this.dataDir = join(dir, 'data');
    this.ballast = join(dir, 'ballast');
  }

  /** True when this machine lets us have one. */
  static isPossible(): boolean {
    try {
      SmallDisk.mount(65_536, 0).unmount();
      return true;
    } catch {
      return false;
    }
  }

  /** Holds `bytes` in all, of which a ballast takes a part until it is thrown off. */
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

  /** The ballast takes all that is left. */
  fillUp(): void {
    try {
      for (;;) appendFileSync(this.ballast, Buffer.alloc(4_096));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  throwOffBallast(): void {
    rmSync(this.ballast);
  }

  unmount(): void {
    // A closed database may keep its file open until its statements are collected.
    runAsRoot('umount', '--lazy', this.dir);
    rmdirSync(this.dir);
  }
}

function runAsRoot(...words: string[]): void {
  if (asRoot === undefined) throw new Error('only root may mount');
  const [command = '', ...args] = [...asRoot, ...words];
  execFileSync(command, args, { stdio: 'pipe' });
}
