import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { TlsSource } from './tls-options.js';

/** A certificate with its key, as Node's TLS server takes it. */
export type TlsIdentity =
  | { readonly cert: Buffer; readonly key: Buffer }
  | { readonly pfx: Buffer; readonly passphrase: string };

/** The files that contain the certificate and its key. */
export function tlsFiles(source: TlsSource): string[] {
  if (source.kind === 'pem') return [source.certificateFile, source.keyFile];
  if (source.kind === 'pkcs12') return [source.file];
  return [join(source.dir, certificateName), join(source.dir, keyName)];
}

const certificateName = 'certificate.pem';
const keyName = 'key.pem';
const validDays = 3_650;

/**
 * Reads the certificate and key to serve TLS with. A self-signed pair is generated when its directory has none.
 * @throws Error when a file cannot be read, or when what is in the files cannot be used; the message names them
 */
export async function loadTlsIdentity(source: TlsSource): Promise<TlsIdentity> {
  const identity = await readTlsIdentity(source);
  try {
    createSecureContext(identity);
  } catch (error) {
    const files = tlsFiles(source).join(' and ');
    throw new Error(`The certificate and key in ${files} cannot be used: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return identity;
}

async function readTlsIdentity(source: TlsSource): Promise<TlsIdentity> {
  if (source.kind === 'pem')
    return { cert: await readFile(source.certificateFile), key: await readFile(source.keyFile) };
  if (source.kind === 'pkcs12') return { pfx: await readFile(source.file), passphrase: source.password };
  const certFile = join(source.dir, certificateName);
  const keyFile = join(source.dir, keyName);
  if (!existsSync(certFile) || !existsSync(keyFile)) await generateSelfSigned(source.dir, certFile, keyFile);
  return { cert: await readFile(certFile), key: await readFile(keyFile) };
}

async function generateSelfSigned(dir: string, certFile: string, keyFile: string): Promise<void> {
  const { generate } = await import('selfsigned');
  const host = hostname();
  const notAfterDate = new Date(Date.now() + validDays * 86_400_000);
  const pems = await generate([{ name: 'commonName', value: host }], {
    keySize: 2048,
    algorithm: 'sha256',
    notAfterDate,
    extensions: [
      { name: 'basicConstraints', cA: false },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 2, value: host },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  await mkdir(dir, { recursive: true, mode: 0o700 });
  // The certificate is written last: where it exists, its key does too.
  await writeAtomically(keyFile, pems.private);
  await writeAtomically(certFile, pems.cert);
}

async function writeAtomically(file: string, text: string): Promise<void> {
  const handle = await open(`${file}.new`, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
}
