import { Ber, BerWriter, PagedResultsControl, ProtocolOperation } from 'ldapts';
import { BerReader, MalformedMessage } from './ber-reader.js';
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

/** @throws MalformedMessage */
export function readRequest(message: Buffer): Request {
  const reader = new BerReader(message).readConstructed();
  const messageId = reader.readInteger();
  if (messageId <= 0) throw new MalformedMessage('the message ID of a request must be positive');
  const operation = reader.nextTag;
  if (operation === undefined) throw new MalformedMessage('the message has no operation');
  const content = reader.readBytes(operation);
  return { messageId, operation, content, controls: reader.nextTag === controlsTag ? readControls(reader) : [] };
}

function readControls(reader: BerReader): RequestControl[] {
  const controls: RequestControl[] = [];
  for (const list = reader.readConstructed(controlsTag); list.nextTag !== undefined; ) {
    const control = list.readConstructed();
    controls.push({
      oid: control.readText(),
      isCritical: control.nextTag === Ber.Boolean ? control.readBoolean() : false,
      value: control.nextTag === Ber.OctetString ? control.readBytes() : Buffer.alloc(0),
    });
  }
  return controls;
}

export interface ResponseParts {
  /** Position at which a paged search continues; empty after the last page. */
  readonly cookie?: Buffer | undefined;
  readonly extension?: { readonly oid?: string; readonly value?: string };
}

export function writeResponse(messageId: number, tag: number, result: Result, parts: ResponseParts = {}): Buffer {
  const writer = new BerWriter({ size: 512 + 3 * `${result.matchedDn}${result.message}`.length });
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
  readonly label: string;
  readonly values: readonly Buffer[];
}

export function writeEntry(messageId: number, dn: string, attributes: readonly ReturnedAttribute[]): Buffer {
  // The buffer must fit the whole message, because ldapts drops the last byte of a long sequence that ends with its
  // buffer.
  const size = attributes.reduce(
    (bytes, { label, values }) => values.reduce((sum, value) => sum + 8 + value.length, bytes + 24 + 3 * label.length),
    256 + 3 * dn.length,
  );
  const writer = new BerWriter({ size });
  writer.startSequence();
  writer.writeInt(messageId);
  writer.startSequence(ProtocolOperation.LDAP_RES_SEARCH_ENTRY);
  writer.writeString(dn);
  writer.startSequence();
  for (const { label, values } of attributes) {
    writer.startSequence();
    writer.writeString(label);
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

/**
 * Encodes the notice of disconnection (RFC 4511, section 4.4.1), which tells the client why its connection is closed.
 */
export function writeDisconnection(reason: string): Buffer {
  const result: Result = { code: resultCode.protocolError, message: reason };
  return writeResponse(0, ProtocolOperation.LDAP_RES_EXTENSION, result, { extension: { oid: disconnectionOid } });
}
