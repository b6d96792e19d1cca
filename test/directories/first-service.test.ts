import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { productDir } from '../../src/kernel/product.js';
import { freePort } from '../fixtures/free-port.js';
import { mainFile } from '../fixtures/process.js';
import { makeTempDir } from '../fixtures/service.js';
import { hasSlapd, Slapd, slapdBase } from './slapd.js';

const blocksOf = (page: string) =>
  [...readFileSync(join(productDir, 'docs', 'operator', page), 'utf8').matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].map(
    ([, block = '']) => block,
  );

/** The commands with the places of this installation instead of those of a package. */
const inSite = (commands: string): string =>
  commands
    .replaceAll('/etc/logbook/', '')
    .replaceAll('/var/lib/logbook-restored', 'restored')
    .replaceAll('/var/lib/logbook', 'data')
    .replaceAll(/\/(mnt\/backup|srv)\//g, 'other-')
    .replaceAll('4711', '1')
    .replaceAll('check_proof.py', join(productDir, 'docs', 'operator', 'check_proof.py'));

describe.skipIf(!hasSlapd)('a first service, as the documents for operators say (needs slapd)', () => {
  let slapd: Slapd;
  let dir: string;
  beforeAll(async () => {
    slapd = await Slapd.start();
    dir = await makeTempDir();
  });
  afterAll(async () => {
    await slapd?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  /** The commands of the page, with the addresses and the user of the servers here. */
  async function script(): Promise<string> {
    const blocks = blocksOf('first-service.md');
    expect(blocks.length).toBeGreaterThan(6);
    const [beforeUpgrade = ''] = blocksOf('upgrade.md');
    const others = [beforeUpgrade, ...blocksOf('backup.md'), ...blocksOf('ledger.md')];
    // While the service runs.
    blocks.splice(-1, 0, ...blocksOf('tls.md'), ...blocksOf('troubleshooting.md'), ...others.map(inSite));
    const [http, https] = [await freePort(), await freePort()];
    return blocks
      .join('\n')
      .replaceAll(/8080|8181/g, (port) => String(port === '8080' ? http : https))
      .replaceAll('ldaps://ldap.example.org', slapd.tlsUrl)
      .replaceAll('dc=example,dc=org', slapdBase)
      .replaceAll('jane:janes-password', 'Jane:jane:pass:word')
      .replaceAll('--user jane', '--user Jane');
  }

  test('every command works, one after the other, from an empty folder to the restored backup', async () => {
    const bin = join(dir, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'logbook'), `#!/bin/sh\nexec '${process.execPath}' '${mainFile}' "$@"\n`);
    chmodSync(join(bin, 'logbook'), 0o755);
    mkdirSync(join(dir, 'site'));
    copyFileSync(slapd.certificate.caFile, join(dir, 'site', 'directory-ca.pem'));
    const commands = (await script()).replace('mkdir site && ', '');
    // Whatever fails, the service does not outlive the test.
    const text = `set -e -o pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${commands}\necho all done\n`;
    const env = { PATH: `${bin}:${process.env.PATH}`, HOME: dir };
    const child = spawn('bash', ['-c', text], { cwd: dir, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    await once(child, 'close');
    expect(output).toMatch(/all done\n$/);
    expect(output).toContain('“operators”');
    expect(output).toContain('"hitCount":1');
    expect(output).toMatch(/logbook_backup\w+/);
    expect(output).toMatch(/notAfter=/);
    expect(output).toContain('Proven: entry 1, version 1');
  });
});
