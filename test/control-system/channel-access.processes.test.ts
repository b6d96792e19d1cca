import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ChannelAccess } from '../../packages/control-system/channel-access.js';
import { liveValuesSuite } from '../contract/live-values.suite.js';
import { ChannelAccessIoc, hasCaproto } from '../fixtures/channel-access-ioc.js';
import { PvwsServer } from '../fixtures/pvws-server.js';
import { TestService } from '../fixtures/service.js';

const { signal } = new AbortController();

/** Processes of Channel Access that a process has started. */
function childrenOf(parentPid: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const isChild = (pid: string) => {
    try {
      const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      return (
        Number(parent) === parentPid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('channel-access-process')
      );
    } catch {
      return false;
    }
  };
  return pids.filter(isChild).map(Number);
}

describe.skipIf(!hasCaproto)('Channel Access (needs Python, and caproto 1.3.0 in the cache of tests)', () => {
  describe('as every source', () => {
    liveValuesSuite(async () => {
      const ioc = await ChannelAccessIoc.start();
      return {
        connect: (timeoutMs) => new ChannelAccess({ addresses: [ioc.address], timeoutMs }),
        add: (name, value, units) => ioc.add('number', name, value, { units }),
        destroy: () => ioc.kill(),
      };
    });
  });

  describe('with an IOC', () => {
    let ioc: ChannelAccessIoc;
    let source: ChannelAccess;
    beforeAll(async () => {
      ioc = await ChannelAccessIoc.start();
      source = new ChannelAccess({ addresses: [ioc.address], timeoutMs: 60_000 });
    });
    afterAll(async () => {
      source.close();
      await ioc.kill();
    });
    const readOne = async (name: string, from = source) => (await from.read([name], signal)).get(name);
    const waiting = (timeoutMs: number) => new ChannelAccess({ addresses: [ioc.address], timeoutMs });

    test.each([
      ['NaN', 'number', 'NaN', {}, { value: Number.NaN }],
      ['an infinite number', 'number', '-Infinity', {}, { value: Number.NEGATIVE_INFINITY }],
      [
        'units, precision, severity and limits',
        'number',
        401.25,
        { units: 'mA', precision: 2, upper_alarm_limit: 500, upper_disp_limit: 600, severity: 2 },
        { units: 'mA', precision: 2, severity: 'MAJOR', display: { limits: { alarmHigh: 500, displayHigh: 600 } } },
      ],
      ['an integer', 'integer', -7, { units: 'counts' }, { value: -7, units: 'counts', precision: undefined }],
      [
        'text',
        'text',
        'grün',
        { string_encoding: 'utf-8' },
        { value: 'grün', units: undefined, display: { states: null } },
      ],
      [
        'an enumeration',
        'enumeration',
        1,
        { enum_strings: ['Closed', 'Open'] },
        { value: 'Open', index: 1, display: { states: ['Closed', 'Open'] } },
      ],
      ['an array', 'number', [1.5, -2], { units: 'mm' }, { value: [1.5, -2], units: 'mm' }],
      ['a long array', 'number', Array(10_000).fill(7), {}, { value: Array(10_000).fill(7) }],
      ['one that is longer', 'number', Array(10_001).fill(7), {}, { missing: 'it has 10001 values, more than 10000' }],
      ['several texts', 'texts', ['one', 'two'], {}, { missing: 'its value is of an unknown kind' }],
    ] as const)('%s', async (name, kind, value, options, expected) => {
      const startMs = Date.now();
      await ioc.add(kind, name, value, options);
      const reading = await readOne(name);
      expect(reading).toMatchObject(expected);
      if (reading && 'atMs' in reading) {
        expect(reading.atMs).toBeGreaterThanOrEqual(startMs - 1_000);
        expect(reading.atMs).toBeLessThanOrEqual(Date.now());
      }
    });

    test.each(['1', '__proto__', 'ö'])('a name that the library would mistake is unknown: %s', async (name) => {
      for (const other of ['first', 'second']) {
        await ioc.add('number', other, 5);
        expect(await readOne(other)).toMatchObject({ value: 5 });
      }
      expect(await readOne(name)).toEqual({
        missing: expect.stringMatching('it did not answer within'),
        code: 'unknown',
      });
    });

    test('an IOC that has ended is missing, and is read again when it is back', async () => {
      await ioc.add('number', 'survivor', 1);
      const impatient = waiting(2_000);
      expect(await readOne('survivor', impatient)).toMatchObject({ value: 1 });
      await ioc.kill();
      expect(await readOne('survivor', impatient)).toMatchObject({ code: 'unknown' });
      await ioc.restart();
      await expect.poll(() => readOne('survivor', impatient)).toMatchObject({ value: 1 });
      expect(impatient.state.failure).toBeUndefined();
      impatient.close();
    });

    test('a new entry receives the values of the devices that it names', async () => {
      await ioc.add('number', 'SR:C03-MG:G02A{Quad:1}I', 401.23, { units: 'mA', precision: 1 });
      const logbook = await TestService.start({ deviceNames: 'SR:*', channelAccessAddresses: ioc.address });
      const { id } = await logbook.create({ title: 'SR:C03-MG:G02A{Quad:1}I is low' });
      const properties = async () => (await logbook.get(`/logs/${id}`)).body.properties;
      await expect.poll(properties).toMatchObject([
        {
          name: 'Device Values',
          attributes: [
            { name: 'SR:C03-MG:G02A{Quad:1}I', value: '401.2 mA' },
            { name: 'read', value: expect.stringMatching('live') },
          ],
        },
      ]);
      await logbook.stop();
    });

    describe.runIf(process.platform === 'linux')('its process', () => {
      test('hung: new entries still receive the values that PVWS has', async () => {
        const pvws = await PvwsServer.start();
        pvws.addNumber('SR:V1', 2);
        const before = childrenOf(process.pid);
        const sources = { pvwsUrl: pvws.url, channelAccessAddresses: ioc.address };
        const logbook = await TestService.start({ deviceNames: 'SR:*', ...sources });
        const attributesOf = async (id: number) => (await logbook.get(`/logs/${id}`)).body.properties[0]?.attributes;
        await logbook.create({ title: 'SR:V1' });
        const started = () => childrenOf(process.pid).filter((pid) => !before.includes(pid));
        await expect.poll(started).toHaveLength(1);
        for (const pid of started()) process.kill(pid, 'SIGSTOP');
        for (const title of ['SR:V1', 'SR:V1 SR:none']) {
          const { id } = await logbook.create({ title });
          await expect
            .poll(() => attributesOf(id))
            .toContainEqual(expect.objectContaining({ name: 'SR:V1', value: '2' }));
        }
        await logbook.stop();
        await pvws.stop();
      });

      test('killed while it reads: the read is answered by the next process', async () => {
        await ioc.add('number', 'kept', 3);
        expect(await readOne('kept')).toMatchObject({ value: 3 });
        // Earlier ones may still be ending.
        await expect.poll(() => childrenOf(process.pid)).toHaveLength(1);
        const [pid = 0] = childrenOf(process.pid);
        process.kill(pid, 'SIGSTOP');
        const reading = readOne('kept');
        process.kill(pid, 'SIGKILL');
        expect(await reading).toMatchObject({ value: 3 });
        expect(childrenOf(process.pid)).not.toContain(pid);
      });

      test('it has no secrets and a limit of memory, writes nothing, and ends with its parent', async () => {
        const script = `
          const { ChannelAccess } = await import(process.argv[1]);
          const source = new ChannelAccess({ addresses: [process.argv[2]], timeoutMs: 60_000 });
          await source.read(['kept'], new AbortController().signal);
          process.send('read');
          setInterval(() => undefined, 1_000);`;
        const module = new URL('../../packages/control-system/channel-access.js', import.meta.url).href;
        const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const;
        const execArgv = ['--input-type=module', '-e', script, module, ioc.address];
        const parent = fork('-', [], { execArgv, env: { SECRET: 'x' }, stdio: [...stdio] });
        let output = '';
        for (const stream of [parent.stdout, parent.stderr]) stream?.on('data', (text) => (output += text));
        await once(parent, 'message');
        const [pid = 0] = childrenOf(parent.pid ?? 0);
        expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('SECRET');
        expect(readFileSync(`/proc/${pid}/limits`, 'utf8')).toMatch(/^Max data size +\d+ +\d+ +bytes/m);
        parent.kill('SIGKILL');
        await expect.poll(() => readdirSync('/proc')).not.toContain(String(pid));
        expect(output).toBe('');
      });

      test('none before the first read, none after the end', async () => {
        const other = waiting(60_000);
        await expect.poll(() => childrenOf(process.pid)).toHaveLength(1);
        const before = childrenOf(process.pid);
        await readOne('kept', other);
        expect(childrenOf(process.pid)).toHaveLength(2);
        other.close();
        await expect.poll(() => childrenOf(process.pid)).toEqual(before);
        await expect(other.read(['kept'], signal)).rejects.toThrow('closed');
      });
    });
  });
});
