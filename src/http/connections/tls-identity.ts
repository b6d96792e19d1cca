import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { ConfigurationError } from '../../kernel/configuration-error.js';
import { describeFileError } from '../../kernel/file-error.js';
import type { TlsKeyOptions } from './tls-options.js';

/** A certificate with its key, as Node's TLS server expects it. */
export type TlsIdentity =
  | { readonly cert: Buffer; readonly key: Buffer }
  | { readonly pfx: Buffer; readonly passphrase: string };

export function tlsFiles(keyOptions: TlsKeyOptions): string[] {
  if (keyOptions.kind === 'pem') return [keyOptions.certificateFile, keyOptions.keyFile];
  if (keyOptions.kind === 'pkcs12') return [keyOptions.file];
  return [join(keyOptions.dir, certificateName), join(keyOptions.dir, keyName)];
}

const certificateName = 'certificate.pem';
const keyName = 'key.pem';
const validDays = 3_650;

export interface VersionedTlsIdentity {
  readonly identity: TlsIdentity;
  /** Version of the files before they were read. A file replaced in the meantime has a different version. */
  readonly version: string;
}

/** @throws ConfigurationError, see `loadTlsIdentity` */
export async function loadVersionedTls(keyOptions: TlsKeyOptions): Promise<VersionedTlsIdentity> {
  if (keyOptions.kind === 'self-signed') await generateIfMissing(keyOptions.dir);
  const version = await tlsFileVersion(keyOptions);
  return { identity: await loadTlsIdentity(keyOptions), version };
}

/** Returns a string that changes whenever one of the files changes. */
export async function tlsFileVersion(keyOptions: TlsKeyOptions): Promise<string> {
  const versions = tlsFiles(keyOptions).map(async (file) => {
    const { ino, ctimeMs, size } = await stat(file).catch(() => ({ ino: 0, ctimeMs: 0, size: 0 }));
    return `${ino} ${ctimeMs} ${size}`;
  });
  return (await Promise.all(versions)).join('|');
}

/**
 * Reads the certificate and key for TLS. Generates a self-signed pair if its directory contains none.
 * @throws ConfigurationError that names the file and the setting when it cannot be read or used
 */
export async function loadTlsIdentity(keyOptions: TlsKeyOptions): Promise<TlsIdentity> {
  if (keyOptions.kind === 'pkcs12') return loadPkcs12(keyOptions);
  if (keyOptions.kind === 'pem') {
    const { certificateFile, keyFile } = keyOptions;
    return loadPem(named(certificateFile, 'tlsCertificateFile'), named(keyFile, 'tlsKeyFile'));
  }
  await generateIfMissing(keyOptions.dir);
  const [certificateFile, keyFile] = tlsFiles(keyOptions) as [string, string];
  const note = 'self-signed; if one of its files is missing, the start generates a new pair';
  return loadPem(named(certificateFile, note), named(keyFile, note));
}

interface NamedFile {
  readonly file: string;
  readonly name: string;
}

const named = (file: string, setting: string): NamedFile => ({ file, name: `${file} (${setting})` });

async function read({ file, name }: NamedFile): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new ConfigurationError(`${name} cannot be read. ${describeFileError(error) ?? (error as Error).message}`, {
      cause: error,
    });
  }
}

async function loadPem(certificateFile: NamedFile, keyFile: NamedFile): Promise<TlsIdentity> {
  const [cert, key] = [await read(certificateFile), await read(keyFile)];
  const certificate = parseCertificate(cert.toString('latin1'), certificateFile);
  const privateKey = parseKey(key.toString('latin1'), keyFile);
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new ConfigurationError(
      `The key in ${keyFile.name} does not belong to the certificate in ${certificateFile.name}. Use the key with which the certificate was requested; the file must begin with the certificate of the service.`,
    );
  }
  return checked({ cert, key }, `${certificateFile.name} and ${keyFile.name}`);
}

function parseCertificate(pem: string, { name }: NamedFile): X509Certificate {
  if (!/-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----/.test(pem)) {
    const found = /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)
      ? 'a private key, and no certificate'
      : 'no certificate';
    throw new ConfigurationError(
      `${name} has ${found} in PEM format (-----BEGIN CERTIFICATE-----). Name the file with the certificate chain; “openssl x509 -inform der -in FILE” converts a binary one.`,
    );
  }
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw unusable(`The certificate in ${name} is damaged`, 'Copy it again from where it was issued.', error);
  }
}

function parseKey(pem: string, { file, name }: NamedFile): KeyObject {
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(pem)) {
    throw new ConfigurationError(
      `The key in ${name} is encrypted with a password. Remove the password, and keep the file from others: “openssl pkey -in ${file} -out key.pem”. Or use a PKCS#12 file with tlsPkcs12Password.`,
    );
  }
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)) {
    const found = pem.includes('-----BEGIN CERTIFICATE-----') ? 'a certificate, and no private key' : 'no private key';
    throw new ConfigurationError(
      `${name} has ${found} in PEM format (-----BEGIN PRIVATE KEY-----). Name the file with the key of the certificate.`,
    );
  }
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw unusable(`The key in ${name} is damaged, or of a kind that TLS does not use`, 'Copy it again.', error);
  }
}

async function loadPkcs12({ file, password }: TlsKeyOptions & { kind: 'pkcs12' }): Promise<TlsIdentity> {
  const archive = named(file, 'tlsPkcs12File');
  const identity = { pfx: await read(archive), passphrase: password };
  try {
    createSecureContext(identity);
  } catch (error) {
    throw describePkcs12(archive, error as Error);
  }
  return identity;
}

function describePkcs12({ file, name }: NamedFile, error: Error): ConfigurationError {
  const { message } = error;
  if (/mac verify failure|bad decrypt|maybe wrong password/i.test(message)) {
    return new ConfigurationError(`The password in tlsPkcs12Password does not open ${name}. Correct it.`, {
      cause: error,
    });
  }
  if (/unsupported/i.test(message)) {
    const convert = `“openssl pkcs12 -legacy -in ${file} -nodes -out both.pem” and “openssl pkcs12 -export -in both.pem -out FILE”`;
    return unusable(`${name} is encrypted in a way that OpenSSL no longer supports`, `Convert it: ${convert}.`, error);
  }
  if (/private key|certificate/i.test(message)) {
    return unusable(`${name} must have a certificate with its key`, 'Export it with both.', error);
  }
  return unusable(
    `${name} is not a PKCS#12 file, or is damaged`,
    'PEM files belong in tlsCertificateFile and tlsKeyFile.',
    error,
  );
}

/** Returns the identity unless OpenSSL refuses it, for example because a key is too short. */
function checked(identity: TlsIdentity, names: string): TlsIdentity {
  try {
    createSecureContext(identity);
  } catch (error) {
    throw unusable(`OpenSSL refuses the certificate and key in ${names}`, 'Have a new certificate issued.', error);
  }
  return identity;
}

/** @param error of OpenSSL, such as `error:0A00018F:SSL routines::ee key too small` */
function unusable(what: string, advice: string, error: unknown): ConfigurationError {
  const reason = (error as Error).message.replace(/^error:[0-9A-F]+:[^:]*:[^:]*:/i, '').trim();
  return new ConfigurationError(`${what} (${reason}). ${advice}`, { cause: error });
}

async function generateIfMissing(dir: string): Promise<void> {
  const [certFile, keyFile] = [join(dir, certificateName), join(dir, keyName)];
  if (existsSync(certFile) && existsSync(keyFile)) return;
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
  // The certificate is written last, so that its presence implies that of the key.
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
