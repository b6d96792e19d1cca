import { Fault, quoted } from '../kernel/fault.js';

/** A stored file under an id that the client chose or received. Its content never changes. */
export interface Attachment {
  readonly id: string;
  readonly filename: string;
  readonly fileMetadataDescription: string;
  /** Bytes. */
  readonly size: number;
  /** Media type: detected from the bytes, else derived from the name, else `application/octet-stream`. */
  readonly contentType: string;
  /** SHA-256 of the bytes, lower-case hex; the address of the file in the blob store. */
  readonly checksum: string;
  /** Size of an image as displayed, in pixels; undefined for other files, and if unknown. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** Maximum length of a file name in UTF-8. */
const maxFilenameBytes = 255;
const maxAttachmentIdLength = 255;

const filenameProblems: readonly (readonly [problem: string, isFound: (filename: string) => boolean])[] = [
  ['it is empty, or consists of dots and spaces', (filename) => /^[.\s]*$/u.test(filename)],
  ['it contains a path', (filename) => /[/\\]/.test(filename)],
  ['it contains control characters', (filename) => /[\p{Cc}\p{Zl}\p{Zp}]/u.test(filename)],
  // Such characters can make a program look like an image, because its extension is shown in another order.
  [
    'it contains characters that change the direction of text',
    (filename) => /[\u202a-\u202e\u2066-\u2069]/.test(filename),
  ],
  ['it contains an incomplete character (an unpaired surrogate)', (filename) => !filename.isWellFormed()],
  [`it is longer than ${maxFilenameBytes} bytes`, (filename) => Buffer.byteLength(filename) > maxFilenameBytes],
];

/** @throws Fault invalid `attachment.bad-filename` */
export function checkFilename(filename: string): void {
  const [problem] = filenameProblems.find(([, isFound]) => isFound(filename)) ?? [];
  if (problem !== undefined) {
    throw new Fault(
      'invalid',
      'attachment.bad-filename',
      `The file name ${quoted(filename)} cannot be used: ${problem}. Send only the name of the file.`,
    );
  }
}

/** @throws Fault invalid `attachment.bad-id` */
export function checkAttachmentId(id: string): void {
  if (id.length === 0 || id.length > maxAttachmentIdLength || /[\p{Cc}/\\]|^\.{1,2}$/u.test(id)) {
    throw new Fault(
      'invalid',
      'attachment.bad-id',
      `The attachment id ${quoted(id)} cannot be used: use 1 to ${maxAttachmentIdLength} characters without slashes, for example a UUID.`,
    );
  }
}
