import { shownFileName } from '../../components/file-name.ts';
import type { DraftFile } from '../../drafts/draft.ts';
import { freeName } from './file-names.ts';

/** Describes a file that joins the others of a draft. */
export async function toDraftFile(id: string, file: File, others: readonly DraftFile[]): Promise<DraftFile> {
  const name = freeName(
    nameOf(file),
    others.map((one) => one.name),
  );
  const size = file.type.startsWith('image/') ? await imageSize(file) : {};
  return { id, name, size: file.size, type: file.type, from: 'added', ...size };
}

/** Browsers call every pasted picture `image.png`. */
const nameOf = ({ name }: File): string => (name === 'image.png' ? 'image-1.png' : shownFileName(name));

async function imageSize(file: Blob): Promise<{ width?: number; height?: number }> {
  try {
    const image = await createImageBitmap(file);
    const { width, height } = image;
    image.close();
    return { width, height };
  } catch {
    return {};
  }
}
