import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConfigurationError } from '../../kernel/configuration-error.js';
import { loadTlsIdentity } from './tls-identity.js';

let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'logbook-tls-'));
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'x' }], { keySize: 2048 });
  const write = (name: string, text: string) => writeFileSync(join(dir, name), text);
  write('certificate', cert);
  write('key', key);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  write('other-key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  write(
    'encrypted-key',
    privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString(),
  );
  write('damaged', cert.replace(/[A-Za-z0-9+/]{60}/, 'A'.repeat(60)));
  write('text', 'neither');
});
afterAll(() => rmSync(dir, { recursive: true }));

test.each([
  ['certificate', 'other-key', /^The key in \S+other-key \(tlsKeyFile\) does not belong to .*\(tlsCertificateFile\)/],
  ['certificate', 'encrypted-key', /encrypted-key \(tlsKeyFile\) is encrypted with a password\. Remove/],
  ['key', 'certificate', /key \(tlsCertificateFile\) has a private key, and no certificate/],
  ['certificate', 'certificate', /certificate \(tlsKeyFile\) has a certificate, and no private key/],
  ['certificate', 'text', /text \(tlsKeyFile\) has no private key/],
  ['damaged', 'key', /^The certificate in \S+damaged \(tlsCertificateFile\) is damaged/],
  ['gone', 'key', /gone \(tlsCertificateFile\) cannot be read\. .*gone does not exist/],
])('an identity of %s and %s is refused with file, setting and advice', async (certificate, key, message) => {
  const source = { kind: 'pem', certificateFile: join(dir, certificate), keyFile: join(dir, key) } as const;
  const error = await loadTlsIdentity(source).catch((refusal: unknown) => refusal);
  expect(error).toBeInstanceOf(ConfigurationError);
  expect((error as Error).message).toMatch(message);
  expect((error as Error).message).not.toMatch(/error:[0-9A-F]{8}/);
});

test('an identity of a PKCS#12 file is refused when the password or the file is wrong', async () => {
  const load = (name: string, password: string) =>
    loadTlsIdentity({ kind: 'pkcs12', file: join(dir, name), password }).then(String, ({ message }: Error) => message);
  expect(await load('certificate', 'x')).toMatch(/certificate \(tlsPkcs12File\) is not a PKCS#12 file/);
  expect(await load('gone', 'x')).toMatch(/gone \(tlsPkcs12File\) cannot be read/);
  const [file, withoutKey] = [join(dir, 'p12'), join(dir, 'p12-without-key')];
  const input = ['-in', join(dir, 'certificate'), '-passout', 'pass:right'];
  execFileSync('openssl', ['pkcs12', '-export', ...input, '-inkey', join(dir, 'key'), '-out', file]);
  execFileSync('openssl', ['pkcs12', '-export', ...input, '-nokeys', '-out', withoutKey]);
  expect(await load('p12', 'wrong')).toMatch(
    /^The password in tlsPkcs12Password does not open \S+p12 \(tlsPkcs12File\)/,
  );
  expect(await load('p12-without-key', 'right')).toMatch(/must have a certificate with its key/);
});
