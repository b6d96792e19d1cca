import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, chown, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/command-line.js';
import { commands } from '../../src/cli/commands.js';
import { LogbookProcess, mainFile, runCommand } from '../fixtures/process.js';
import { makeTempDir } from '../fixtures/service.js';

/** Environment that the packaged command sets, with a configuration file that does not exist. */
const installed = { LOGBOOK_DEFAULT_CONFIG: '/nowhere/logbook.properties' };

let dir: string;
let dataDir: string;
beforeAll(async () => {
  dir = await makeTempDir();
  dataDir = join(dir, 'data');
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => runCommand(args, mainFile, env);

describe('the help', () => {
  const names = Object.keys(commands);

  test('of an installed program without arguments is the list of commands, and nothing is started', async () => {
    const { code, output } = await run([], installed);
    expect(code).toBe(0);
    for (const name of names) expect(output).toMatch(new RegExp(`^ {2}${name} .* {2}\\S`, 'm'));
    expect(output.split('\n').length).toBeLessThanOrEqual(40);
  });

  test('of each command fits on one screen, with its own options and an example, and without the settings', async () => {
    for (const name of names) {
      const lines = (await helpOf(name, false)).split('\n');
      expect(lines.length, name).toBeLessThanOrEqual(41);
      expect(Math.max(...lines.map((line) => line.length)), name).toBeLessThanOrEqual(80);
      expect(lines.join('\n'), name).toMatch(/Examples:\n {2}\S/);
      expect(lines.join('\n'), name).not.toContain('--max-entry-size');
    }
    expect(await helpOf('backup', true)).toContain('--max-entry-size');
  });

  test('of the program and its version load no command, no setting and no log', async () => {
    for (const args of [['--version'], ['--help'], ['bakcup']]) {
      const { output, errors } = await run(args, { NODE_DEBUG: 'esm' });
      expect(`${output}${errors}`, args[0]).toContain('/cli/commands.js');
      expect(`${output}${errors}`, args[0]).not.toMatch(/-commands?\.js|\/config\/settings\.js|\/node_modules\/pino\//);
    }
  });

  async function helpOf(name: string, showsAll: boolean): Promise<string> {
    const { signal } = new AbortController();
    const program = await createProgram({ stop: signal, abandon: signal }, [name], showsAll);
    let text = '';
    const command = program.commands.find((one) => one.name() === name);
    const writeOut = (part: string) => {
      text += part;
    };
    command?.configureOutput({ writeOut, getOutHelpWidth: () => 80 });
    command?.outputHelp();
    return text;
  }
});

describe('the exit code', () => {
  test.each([
    [['bakcup'], 64, 'Did you mean backup?'],
    [['--prun'], 64, "unknown option '--prun'"],
    [['backup', '--prun'], 64, 'Did you mean --prune?'],
    [['backup'], 64, 'No backup target is given'],
    [['check', '--http-port', 'many', '--config', '/nowhere/x'], 78, 'configuration file /nowhere/x: file not found'],
    [['verify', '--data-dir', '/nowhere/x'], 2, '/nowhere/x'],
    [['verify', '--backup', 'x'], 64, 'No backup target is given'],
    [['health', '--of', 'x'], 64, '--of x: give the number of a process.'],
    [['restore', mainFile, '--data-dir', '/nowhere/x'], 1, 'is a file. Name the directory'],
    [['init', '--yes', '--name', 'a\nb'], 64, '--name a b: it must not contain line breaks'],
    [['init', '--yes', '--key', 'key.pem'], 64, 'give its certificate with --certificate'],
  ])('of %j is %i', async (args, code, message) => {
    const result = await run(args);
    expect([result.code, result.errors]).toEqual([code, expect.stringContaining(message)]);
    expect(result.errors).not.toMatch(/ at .*:\d+:\d+/);
  });

  test('of a Node.js that is too old is 78, after one sentence', async () => {
    const old = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } })";
    await writeFile(join(dir, 'old.cjs'), old);
    const { stderr, code } = await promisify(execFile)(process.execPath, ['--require', join(dir, 'old.cjs'), mainFile])
      .then(() => ({ stderr: '', code: 0 }))
      .catch((error: { stderr: string; code: number }) => error);
    expect([code, stderr]).toEqual([
      78,
      'Logbook needs Node.js 20.19 or later, and this is Node.js 18.20.4. Install Node.js 24.\n',
    ]);
  });

  test('the entry file has no syntax that an old Node.js cannot parse', () => {
    const text = readFileSync(mainFile, 'utf8').replace(/^#!.*$|\/\/.*$/gm, '');
    expect(text).toContain("import('./cli/");
    expect(text.replace(/\bimport\('/g, "load('")).not.toMatch(
      /=>|`|\?\.|\?\?|\.\.\.|\*\*|\b(const|let|class|async|await|import|export|of)\b/,
    );
  });
});

describe('the configuration of the installed service', () => {
  test('is what commands read; the service does not start without sign-in, and the trial leaves it alone', async () => {
    const file = join(dir, 'installed.properties');
    await writeFile(file, `dataDir = ${dataDir}\nhttpPort = 0\nhttpsPort = off\n`);
    const env = { LOGBOOK_DEFAULT_CONFIG: file };
    expect((await run(['config'], env)).output).toContain(`dataDir = ${dataDir}  # dataDir in ${file}`);
    expect((await run(['config'], env)).output).toContain('authenticationProviders =   # default');
    for (const args of [['serve'], ['--http-port', '0']]) {
      const refused = await run(args, env);
      expect(refused).toMatchObject({ code: 78, output: '', errors: expect.stringContaining('logbook serve --demo') });
    }
    expect(await readdir(dir)).not.toContain('data');
    expect(await run(['check'], env)).toMatchObject({ code: 1, output: expect.stringMatching(/^PROBLEM {2}sign-in:/) });
    expect(await run(['config'], installed)).toMatchObject({
      code: 78,
      errors: expect.stringMatching(/logbook\.properties: file not found\. “logbook init” writes one/),
    });
    const trial = await LogbookProcess.start(dataDir, { args: ['serve', '--demo'], env: installed });
    expect(trial.output).toContain('admin / adminPass');
    expect(trial.output).toMatch(/^ {2}trial +everyone on this machine/m);
    expect(await trial.stop()).toBe(0);
  });
});

describe('a directory without a logbook', () => {
  test('is not exported as an empty one, and nothing is created', async () => {
    const file = join(dir, 'empty.zip');
    const typo = join(dir, 'dtaa');
    const refused = await run(['export', file, '--data-dir', typo]);
    expect(refused).toMatchObject({ code: 1, errors: expect.stringContaining(`There is no logbook in ${typo}.`) });
    expect(await readdir(dir)).not.toContain('empty.zip');
    expect(await readdir(dir)).not.toContain('dtaa');
  });

  test('is refused with names of its files, and left unchanged; one with only lost+found is accepted', async () => {
    const home = join(dir, 'home');
    for (const name of ['Documents', '.ssh', 'notes.txt', 'x', 'y']) await mkdir(join(home, name), { recursive: true });
    await chmod(home, 0o755);
    const refused = await run(['serve', '--data-dir', home]);
    expect(refused.code).toBe(78);
    expect(refused.errors).toMatch(/The directory .*home has other files and no logbook: (\S+, ){3}…\. Nothing was/);
    expect((await readdir(home)).length).toBe(5);
    expect((await stat(home)).mode & 0o777).toBe(0o755);
    const examined = await run(['doctor', '--data-dir', home]);
    expect(examined).toMatchObject({ code: 2, output: expect.stringContaining('has other files and no logbook') });
    const disk = join(dir, 'disk');
    await mkdir(join(disk, 'lost+found'), { recursive: true });
    const logbook = await LogbookProcess.start(disk);
    await logbook.stop();
    await writeFile(join(disk, 'notes of an administrator'), '');
    expect(await (await LogbookProcess.start(disk)).stop()).toBe(0);
  });
});

test('the status of a check has a colour on a terminal, unless NO_COLOR is set, and elsewhere with FORCE_COLOR', async () => {
  const file = join(dir, 'no-sign-in.properties');
  await writeFile(file, '');
  const env = { LOGBOOK_DEFAULT_CONFIG: file, TERM: 'xterm-256color' };
  const onTerminal = async (more: Readonly<Record<string, string>>) => {
    const script = `import pty; pty.spawn(${JSON.stringify([process.execPath, mainFile, 'check'])})`;
    const variables = { env: { PATH: process.env.PATH, ...env, ...more } };
    return (await promisify(execFile)('python3', ['-c', script], variables)).stdout;
  };
  const red = '\u001b[31mPROBLEM\u001b[39m  sign-in:';
  expect(await onTerminal({})).toContain(red);
  expect(await onTerminal({ NO_COLOR: '1' })).toMatch(/^PROBLEM {2}sign-in:/);
  expect((await run(['check'], env)).output).toMatch(/^PROBLEM {2}sign-in:/);
  expect((await run(['check'], { ...env, FORCE_COLOR: '1' })).output).toContain(red);
});

test('a directory that cannot be read is not taken for an empty one', async () => {
  const loop = join(dir, 'loop');
  await symlink(loop, loop);
  const commands = [['verify'], ['backup', join(dir, 'x')], ['export', join(dir, 'x.zip')], ['restore', loop]];
  for (const command of commands) {
    const { errors } = await run([...command, '--data-dir', command.includes(loop) ? join(dir, 'x') : loop]);
    expect(errors, command[0]).toContain('is a symbolic link that leads to itself');
  }
});

test('a start without a usable certificate creates no data directory', async () => {
  const file = join(dir, 'damaged.pem');
  await writeFile(file, 'damaged');
  const tls = ['--https-port', '0', '--tls-certificate-file', file, '--tls-key-file', file];
  expect(await run(['serve', '--data-dir', join(dir, 'unused'), ...tls])).toMatchObject({ code: 78 });
  expect(await readdir(dir)).not.toContain('unused');
});

test('a key pair of which one file exists is not completed', async () => {
  await writeFile(join(dir, 'signing.pem.pub'), '');
  const { code, errors } = await run(['signing-key', join(dir, 'signing.pem')]);
  expect([code, errors]).toEqual([1, expect.stringContaining('signing.pem.pub exists already')]);
  expect(await readdir(dir)).not.toContain('signing.pem');
});

test('a configuration may begin with a byte order mark; one in UTF-16 is refused with what to do', async () => {
  const file = join(dir, 'windows.properties');
  await writeFile(file, '\ufeffhttpPort = 4711\r\n');
  expect((await run(['config', '--config', file])).output).toContain('httpPort = 4711  # ');
  await writeFile(file, 'httpPort = 4711\r\n', 'utf16le');
  const refused = await run(['config', '--config', file]);
  expect([refused.code, refused.errors]).toEqual([78, expect.stringContaining('Save it as UTF-8')]);
});

describe('a backup', () => {
  const backups = () => join(dir, 'above', 'backups');

  test('that fails leaves nothing behind, and an empty directory empty', async () => {
    const nowhere = ['--data-dir', join(dir, 'nowhere')];
    expect((await run(['backup', backups(), ...nowhere])).code).toBe(1);
    expect(await readdir(dir)).not.toContain('above');
    await mkdir(backups(), { recursive: true });
    expect((await run(['backup', backups(), ...nowhere])).code).toBe(1);
    expect(await readdir(backups())).toEqual([]);
    await rm(join(dir, 'above'), { recursive: true });
  });

  test.skipIf(process.getuid?.() !== 0)('made by root belongs to the owner of the data directory', async () => {
    execFileSync('chown', ['-R', '65534:65534', dataDir]);
    const succeed = async (...args: string[]) => {
      const { code, errors } = await run(args);
      expect(code, errors).toBe(0);
    };
    await succeed('backup', backups(), '--data-dir', dataDir);
    await rm(join(dataDir, 'search.sqlite'), { force: true });
    await succeed('export', join(dir, 'all.zip'), '--data-dir', dataDir);
    const restored = join(dir, 'restored');
    const key = ['--backup-public-key', join(dataDir, 'backup-key.pub')];
    await succeed('restore', backups(), '--data-dir', restored, ...key);
    for (const top of [join(dir, 'above'), dataDir, restored]) {
      for (const name of ['', ...(await readdir(top, { recursive: true }))]) {
        expect((await stat(join(top, name))).uid, join(top, name)).toBe(65_534);
      }
    }
    await chown(dataDir, 0, 0);
  });
});
