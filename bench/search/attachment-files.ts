import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Attachment } from '../../src/attachments/attachment.js';
import { folders } from '../../src/engines/files/blob-folders.js';
import { pdf, shown, stream } from '../../test/fixtures/pdf.js';

export interface AttachmentFile {
  readonly bytes: Buffer;
  readonly checksum: string;
}

/** Returns the file of an attachment: a text file, a PDF page with the text, or other bytes of about this length. */
export function attachmentFile(id: string, contentType: string, text: string): AttachmentFile {
  const bytes = bytesOf(id, contentType, text);
  return { bytes, checksum: createHash('sha256').update(bytes).digest('hex') };
}

function bytesOf(id: string, contentType: string, text: string): Buffer {
  if (contentType === 'application/pdf') return pdf([stream(shown(text))]);
  // The id makes the content of each file unique.
  return contentType.startsWith('text/') ? Buffer.from(`${id}\n${text}\n`) : Buffer.alloc(text.length + id.length, id);
}

/** Writes files of attachments where the service stores them, without the syncs of an upload. */
export class AttachmentFolder {
  private readonly dir: string;

  constructor(dataDir: string) {
    this.dir = join(dataDir, 'attachments');
    for (const folder of folders) mkdirSync(join(this.dir, folder), { recursive: true, mode: 0o700 });
  }

  write({ checksum }: Attachment, { bytes }: AttachmentFile): void {
    writeFileSync(join(this.dir, checksum.slice(0, 2), checksum), bytes, { mode: 0o600 });
  }
}
