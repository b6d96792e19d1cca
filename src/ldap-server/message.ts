import { Ber, BerWriter, PagedResultsControl, ProtocolOperation } from 'ldapts';
import { Elements, MalformedMessage } from './ber-reader.js';
import { type Result, resultCode } from './result.js';

const controlsTag = 0xa0;
const disconnectionOid = '1.3.6.1.4.1.1466.20036';

export interface Request {
  readonly messageId: number;
  readonly operation: number;
  readonly content: Buffer;
  readonly controls: readonly RequestControl[];
}

export interface RequestControl {
  readonly oid: string;
  readonly isCritical: boolean;
  readonly value: Buffer;
}

export function readRequest(frame: Buffer): Request {
  const elements = new Elements(frame).within();
  const messageId = elements.integer();
  if (messageId <= 0) throw new MalformedMessage('a request needs a message id above 0');
  const operation = elements.tag;
  if (operation === undefined) throw new MalformedMessage('a message holds no operation');
  const content = elements.bytes(operation);
  return { messageId, operation, content, controls: elements.tag === controlsTag ? readControls(elements) : [] };
}

function readControls(elements: Elements): RequestControl[] {
  const controls: RequestControl[] = [];
  for (const list = elements.within(controlsTag); list.tag !== undefined; ) {
    const control = list.within();
    controls.push({
      oid: control.text(),
      isCritical: control.tag === Ber.Boolean ? control.boolean() : false,
      value: control.tag === Ber.OctetString ? control.bytes() : Buffer.alloc(0),
    });
  }
  return controls;
}

/** What goes into a response beside its result. */
export interface ResponseParts {
  /** The whereabouts in a paged search; empty when it is through. */
  readonly cookie?: Buffer | undefined;
  readonly extension?: { readonly oid?: string; readonly value?: string };
}

export function writeResponse(messageId: number, tag: number, result: Result, parts: ResponseParts = {}): Buffer {
  const writer = writerFor(512 + 3 * `${result.matchedDn}${result.message}`.length);
  writer.startSequence();
  writer.writeInt(messageId);
  writer.startSequence(tag);
  writer.writeEnumeration(result.code);
  writer.writeString(result.matchedDn ?? '');
  writer.writeString(result.message ?? '');
  if (parts.extension?.oid !== undefined) writer.writeString(parts.extension.oid, 0x8a);
  if (parts.extension?.value !== undefined) writer.writeString(parts.extension.value, 0x8b);
  writer.endSequence();
  if (parts.cookie) {
    writer.startSequence(controlsTag);
    new PagedResultsControl({ value: { size: 0, cookie: parts.cookie } }).write(writer);
    writer.endSequence();
  }
  writer.endSequence();
  return writer.buffer;
}

export interface ReturnedAttribute {
  readonly name: string;
  readonly values: readonly Buffer[];
}

export function writeEntry(messageId: number, dn: string, attributes: readonly ReturnedAttribute[]): Buffer {
  const writer = writerFor(256 + encodedBytes(dn, attributes));
  writer.startSequence();
  writer.writeInt(messageId);
  writer.startSequence(ProtocolOperation.LDAP_RES_SEARCH_ENTRY);
  writer.writeString(dn);
  writer.startSequence();
  for (const { name, values } of attributes) {
    writer.startSequence();
    writer.writeString(name);
    writer.startSequence(Ber.Set | Ber.Constructor);
    for (const value of values) writer.writeBuffer(value, Ber.OctetString);
    writer.endSequence();
    writer.endSequence();
  }
  writer.endSequence();
  writer.endSequence();
  writer.endSequence();
  return writer.buffer;
}

/** With room for everything at once: a long sequence that ends where a full buffer does would lose its last byte. */
function writerFor(maxBytes: number): BerWriter {
  return new BerWriter({ size: maxBytes });
}

function encodedBytes(dn: string, attributes: readonly ReturnedAttribute[]): number {
  let bytes = 3 * dn.length;
  for (const { name, values } of attributes) {
    bytes += 24 + 3 * name.length;
    for (const value of values) bytes += 8 + value.length;
  }
  return bytes;
}

/** Tells a client, unasked, why its connection ends. */
export function writeDisconnection(reason: string): Buffer {
  const result: Result = { code: resultCode.protocolError, message: reason };
  return writeResponse(0, ProtocolOperation.LDAP_RES_EXTENSION, result, { extension: { oid: disconnectionOid } });
}
