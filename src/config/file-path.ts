import { X509Certificate } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeFileError } from '../kernel/file-error.js';

/**
 * Resolves the path of a file that a setting names. A relative path is relative to the file that contains the setting
 * or, if no file exists there, to the working directory. The prefix `file:` is allowed. `classpath:` means next to the
 * file that contains the setting, because there is no class path.
 * @param dir directory of that file; undefined when the setting is not in a file
 * @throws Error that explains why the text is not a valid path
 */
export function resolveFile(text: string, dir: string | undefined): string {
  const [, prefix = '', rest = ''] = /^(classpath\*?:|file:)?(.*)$/is.exec(text.trim()) ?? [];
  if (prefix.toLowerCase() === 'file:') return resolvePath(fromFileUrl(text.trim(), rest), dir);
  if (prefix === '') return resolvePath(rest, dir);
  const path = resolvePath(rest.replace(/^\/+/, ''), dir);
  if (rest === '' || !existsSync(path)) {
    throw new Error(`there is no class path here, and no such file at ${path}: write the path of the file`);
  }
  return path;
}

function fromFileUrl(text: string, rest: string): string {
  if (!rest.startsWith('//')) return rest;
  try {
    return fileURLToPath(text);
  } catch (error) {
    throw new Error('it must look like file:/path or file:///path', { cause: error });
  }
}

function resolvePath(path: string, dir: string | undefined): string {
  if (path === '' || dir === undefined || isAbsolute(path)) return path;
  const beside = join(dir, path);
  return existsSync(beside) || !existsSync(path) ? beside : path;
}

/** @throws Error when the file cannot be read */
export function checkFile(file: string): string {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new Error(describe(error as NodeJS.ErrnoException), { cause: error });
  }
  if (statSync(file).isDirectory()) throw new Error('it is a directory; name a file');
  return file;
}

/** @throws Error when the file cannot be read */
export function readTextFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(describe(error as NodeJS.ErrnoException), { cause: error });
  }
}

function describe(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'file not found';
  if (error.code === 'EISDIR') return 'it is a directory; name a file';
  return describeFileError(error)?.replace(/[.]$/, '') ?? `the file cannot be read (${error.code})`;
}

const certificatePattern = /-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----[\s\S]*?-----END \1CERTIFICATE-----/g;

/**
 * Reads the certificates of a PEM file.
 * @throws Error that states the problem of the file
 */
export function readCaFile(file: string): string {
  const pem = readTextFile(file);
  const certificates = pem.match(certificatePattern) ?? [];
  if (certificates.length === 0) {
    throw new Error('the file must contain certificates in PEM format, and has none (-----BEGIN CERTIFICATE-----)');
  }
  for (const [index, certificate] of certificates.entries()) {
    try {
      new X509Certificate(certificate);
    } catch (error) {
      throw new Error(
        `the certificate no. ${index + 1} in the file is damaged; the file must contain certificates in PEM format`,
        { cause: error },
      );
    }
  }
  return pem;
}

/**
 * Reads a secret, and removes a line break at its end.
 * @throws Error when the secret is empty
 */
export function readSecret(file: string): string {
  const secret = readTextFile(file).replace(/\r?\n$/, '');
  if (secret === '') throw new Error('the file is empty');
  return secret;
}
