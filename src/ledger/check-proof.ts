import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { encodeCanonical, type Json, type JsonObject, parseUnambiguous } from './proof-json.js';

/**
 * Checks proofs for users without Python. It shares no code with the writer of proofs, and takes the same steps as
 * check_proof.py in the documentation. Both must give the same result for every file.
 */

const maxBytes = 100_000_000;
const maxSignatures = 16;
const kinds: readonly Json[] = ['created', 'edited', 'annotated', 'recorded'];
const fieldNames = ['head', 'title', 'text', 'properties'];
const notePattern =
  /^(logbook\/[0-9A-Za-z-]+)\n(0|[1-9][0-9]{0,14})\n([0-9A-Za-z+/]{43}=)\n(time [0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z)\n$/;
const signaturePattern = /^\u2014 ([!-~]+) ([0-9A-Za-z+/]+={0,2})$/;

/** Thrown when a proof is not valid. */
class NotProven extends Error {}

function prove(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new NotProven(otherwise);
}

/**
 * Checks a proof.
 * @param key the public key of the checkpoint, in PEM
 * @returns the proven facts, one per line
 * @throws NotProven
 */
export function checkProof(content: Uint8Array, key: string): string[] {
  const proof = parse(content);
  checkForm(proof);
  const { record, fields } = proof;
  prove(digestContent(fields) === record.digest, 'the content is not what was recorded');
  const head = fields.map((field) => (isObject(field) ? field.value : undefined))[0];
  const shown = isObject(head) ? head.id : undefined;
  prove(isCount(shown) && shown === record.entry, 'the record is of another entry');
  const { logbook, size, root, time } = openCheckpoint(proof.checkpoint, key);
  prove(size === proof.size && root === proof.root, 'the checkpoint is of another tree');
  const leaf = sha256(`\0${encodeCanonical(record)}`);
  prove(rootOf(leaf, record.number, size, proof.path) === root, 'the record is not in the tree');
  const hidden = fields.flatMap((field) => (isObject(field) && 'digest' in field ? [String(field.name)] : []));
  return [
    `Proven: entry ${record.entry}, version ${record.version}, of ${logbook}. Signed: ${time}`,
    ...hidden.map((name) => `Not shown: the content of a field (${name})`),
  ];
}

function parse(content: Uint8Array): Json {
  try {
    if (content.length > maxBytes) throw new SyntaxError('it is too long');
    return parseUnambiguous(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content));
  } catch {
    throw new NotProven('it is not a proof in JSON');
  }
}

interface CheckedRecord extends JsonObject {
  readonly digest: string;
  readonly entry: number;
  readonly number: number;
  readonly version: number;
}

/** A proof whose keys and types were checked. */
interface CheckedProof extends JsonObject {
  readonly fields: readonly Json[];
  readonly record: CheckedRecord;
  readonly size: number;
  readonly root: string;
  readonly path: readonly string[];
  readonly checkpoint: string;
}

function checkForm(proof: Json): asserts proof is CheckedProof {
  const form = 'it is not a proof of the format logbook-proof-1';
  prove(hasKeys(proof, 'format fields record size root path checkpoint'), form);
  prove(proof.format === 'logbook-proof-1' && Array.isArray(proof.fields), form);
  prove(proof.checkpoint !== null, 'the proof has no checkpoint: it proves nothing');
  prove(isCount(proof.size) && isHash(proof.root) && typeof proof.checkpoint === 'string', form);
  prove(Array.isArray(proof.path) && proof.path.every(isHash), form);
  const { record = null } = proof;
  prove(hasKeys(record, 'at digest entry kind number previous subject version'), 'the record is malformed');
  const areCounts = [record.at, record.entry, record.number, record.version].every(isCount);
  prove(areCounts && isHash(record.digest) && isHash(record.previous), 'the record is malformed');
  const isAbout = kinds.includes(record.kind ?? null) && record.subject === '' && Number(record.version) > 0;
  prove(isAbout, 'the record is not that of a version of an entry');
}

/** Computes the digest of a version from the digests of its fields. */
function digestContent(fields: readonly Json[]): string {
  const names = fields.map((field) => (isObject(field) ? field.name : undefined));
  const isComplete = fieldNames.every((name, at) => names[at] === name);
  const isInPlace = names.slice(fieldNames.length).every((name) => name === 'attachment');
  prove(isComplete && isInPlace, 'a field is missing, or in another place');
  return sha256(`content ${fields.map(digestField).join('')}`);
}

function digestField(field: Json): string {
  if (hasKeys(field, 'name digest')) {
    const { digest } = field;
    prove(isHash(digest), 'a digest is malformed');
    return digest;
  }
  prove(hasKeys(field, 'name salt value'), 'a field has keys other than a salt and a value, or a digest');
  const { name, salt, value = null } = field;
  prove(typeof salt === 'string' && /^[A-Za-z0-9_-]{22}$/.test(salt), 'a salt is malformed');
  return sha256(`field ${salt} ${name} ${encodeCanonical(value)}`);
}

/** Computes the root to which the path leads (RFC 6962, section 2.1.1). */
function rootOf(leaf: string, index: number, size: number, path: readonly string[]): string {
  const inside = index >= 0 && index < size;
  prove(inside && (size === 1) === (path.length === 0), 'the record is not in the tree');
  if (size === 1) return leaf;
  let half = 1;
  while (2 * half < size) half *= 2;
  const [sibling = '', rest] = [path.at(-1), path.slice(0, -1)];
  if (index < half) return node(rootOf(leaf, index, half, rest), sibling);
  return node(sibling, rootOf(leaf, index - half, size - half, rest));
}

/** Checks the signature of a checkpoint; returns its signed content. */
function openCheckpoint(text: string, pem: string) {
  const end = text.indexOf('\n\n');
  const note = end < 0 ? `${text}\n` : text.slice(0, end + 1);
  const lines = end < 0 ? [''] : text.slice(end + 2).split('\n');
  const [, logbook = '', size = '', root = '', time = ''] = notePattern.exec(note) ?? [];
  const signatures = lines.slice(0, -1).map((line) => signaturePattern.exec(line));
  const areFew = signatures.length > 0 && signatures.length <= maxSignatures;
  const isWhole = logbook !== '' && lines.at(-1) === '' && areFew && signatures.every((found) => found !== null);
  prove(isWhole && Buffer.from(root, 'base64').toString('base64') === root, 'the checkpoint is malformed');
  const key = readKey(pem);
  const isSigned = signatures.some((found) => {
    const [, name, encoded = ''] = found ?? [];
    // Other parties may have signed it too.
    return (
      name === logbook && encoded.length === 92 && isSignature(Buffer.from(encoded, 'base64'), { note, logbook, key })
    );
  });
  prove(isSigned, 'the checkpoint is not signed by this key, or was changed since');
  return { logbook, size: Number(size), root: Buffer.from(root, 'base64').toString('hex'), time };
}

function readKey(pem: string): KeyObject {
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType === 'ed25519' && pem.trimStart().startsWith('-----BEGIN PUBLIC KEY-----')) return key;
  } catch {
    // Reported below.
  }
  throw new NotProven('the key is not a public Ed25519 key in PEM');
}

function isSignature(
  bytes: Buffer,
  { note, logbook, key }: { readonly note: string; readonly logbook: string; readonly key: KeyObject },
): boolean {
  const raw = Buffer.from(String(key.export({ format: 'jwk' }).x), 'base64url');
  const keyId = hash('sha256', Buffer.concat([Buffer.from(`${logbook}\n\u0001`), raw]), 'buffer').subarray(0, 4);
  return (
    bytes.length === 68 && bytes.subarray(0, 4).equals(keyId) && verify(null, Buffer.from(note), key, bytes.subarray(4))
  );
}

const sha256 = (text: string): string => hash('sha256', text, 'hex');
const node = (left: string, right: string): string => hash('sha256', Buffer.from(`01${left}${right}`, 'hex'), 'hex');
const isHash = (value: Json | undefined): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const isCount = (value: Json | undefined): value is number => typeof value === 'number' && value >= 0;
const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const hasKeys = (value: Json, keys: string): value is JsonObject =>
  isObject(value) &&
  Object.keys(value).length === keys.split(' ').length &&
  keys.split(' ').every((key) => Object.hasOwn(value, key));
