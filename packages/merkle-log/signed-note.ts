import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';

/** A text with signatures below it (C2SP signed-note). */

/** Number of the signature algorithm in signed notes. */
const ed25519 = 1;
const keyIdBytes = 4;

/** Signs a text, which ends with a newline. @param name name of the signer */
export function signNote(text: string, name: string, privateKey: KeyObject): string {
  const signature = Buffer.concat([
    keyId(name, createPublicKey(privateKey)),
    sign(null, Buffer.from(text), privateKey),
  ]);
  return `${text}\n\u2014 ${name} ${signature.toString('base64')}\n`;
}

/** Returns the text of a note without its signatures; undefined when the text is not a note. */
export function textOfNote(note: string): string | undefined {
  const end = note.indexOf('\n\n');
  return end < 0 ? undefined : note.slice(0, end + 1);
}

export function isNoteSigned(note: string, name: string, publicKey: KeyObject): boolean {
  const text = textOfNote(note);
  if (text === undefined) return false;
  return note
    .slice(text.length + 1)
    .split('\n')
    .some((line) => isSignature(line, { name, text, publicKey }));
}

function isSignature(
  line: string,
  { name, text, publicKey }: { readonly name: string; readonly text: string; readonly publicKey: KeyObject },
): boolean {
  const [dash, signer, encoded] = line.split(' ');
  if (dash !== '\u2014' || signer !== name || encoded === undefined) return false;
  const bytes = Buffer.from(encoded, 'base64');
  if (!bytes.subarray(0, keyIdBytes).equals(keyId(name, publicKey))) return false;
  return verify(null, Buffer.from(text), publicKey, bytes.subarray(keyIdBytes));
}

/** Returns the id by which a reader finds the key of a signature, as defined by signed-note. */
function keyId(name: string, publicKey: KeyObject): Buffer {
  const key = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url');
  const input = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ed25519), key]);
  return hash('sha256', input, 'buffer').subarray(0, keyIdBytes);
}
