/** Brands of images that are coded with HEVC. */
const hevcBrands = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs']);
const avifBrands = new Set(['avif', 'avis']);
/** Brands of the HEIF family that do not determine the coding. */
const heifBrands = new Set(['mif1', 'mif2', 'msf1', '1pic']);
const hevcItems = new Set(['hvc1', 'hev1', 'lhv1']);
/** Boxes that may precede `ftyp`. */
const skippedBoxes = /^(?:free|skip|wide|uuid|pnot|junk)$/;

interface Box {
  readonly type: string;
  /** Positions of its content. The end may be beyond the known bytes. */
  readonly start: number;
  readonly end: number;
}

/**
 * Returns `avif` or, for another image of the HEIF family, which browsers cannot show, `heic`; undefined for other
 * files. The coding of its pictures decides. If these bytes do not contain it, the brands do.
 */
export function heifKindOf(head: Uint8Array): 'avif' | 'heic' | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  const brands = readBrands(bytes);
  const isHevc = brands.some((brand) => hevcBrands.has(brand));
  const isAvif = brands.some((brand) => avifBrands.has(brand));
  if (!isHevc && !isAvif && !brands.some((brand) => heifBrands.has(brand))) return undefined;
  const items = readItemTypes(bytes);
  if (items.some((type) => hevcItems.has(type))) return 'heic';
  if (items.includes('av01')) return 'avif';
  return isAvif && !isHevc ? 'avif' : 'heic';
}

function readBrands(bytes: Buffer): string[] {
  const brands: string[] = [];
  for (const { type, start, end } of boxesIn(bytes, 0, bytes.length)) {
    if (type === 'ftyp') {
      // The version, which follows the major brand, is not a brand.
      for (let at = start; at + 4 <= Math.min(end, bytes.length); at += 4) {
        if (at !== start + 4) brands.push(bytes.toString('latin1', at, at + 4));
      }
      break;
    }
    if (!skippedBoxes.test(type)) break;
  }
  return brands;
}

/** Reads the codings of the pictures in the box `meta`; empty when the box is not in these bytes. */
function readItemTypes(bytes: Buffer): string[] {
  const types: string[] = [];
  for (const meta of childrenOf(bytes, { start: 0, end: bytes.length }, 'meta')) {
    // A version and flags precede the content.
    for (const { start, end } of childrenOf(bytes, { start: meta.start + 4, end: meta.end }, 'iinf')) {
      if (start + 8 > bytes.length) continue;
      const first = start + (bytes.readUInt8(start) === 0 ? 6 : 8);
      for (const entry of childrenOf(bytes, { start: first, end }, 'infe')) types.push(itemTypeOf(bytes, entry.start));
    }
  }
  return types;
}

/** Reads the type of an item: four letters after its number, which has four bytes from version 3 on. */
function itemTypeOf(bytes: Buffer, start: number): string {
  const at = start + (bytes[start] === 2 ? 8 : 10);
  return bytes.toString('latin1', at, at + 4);
}

function* childrenOf(bytes: Buffer, { start, end }: Omit<Box, 'type'>, type: string): Generator<Box> {
  for (const box of boxesIn(bytes, start, end)) if (box.type === type) yield box;
}

function* boxesIn(bytes: Buffer, start: number, end: number): Generator<Box> {
  const limit = Math.min(end, bytes.length);
  for (let at = start; at + 8 <= limit; ) {
    const short = bytes.readUInt32BE(at);
    const isLong = short === 1;
    if (isLong && at + 16 > limit) return;
    const headerSize = isLong ? 16 : 8;
    // A size of 0 means that the box extends to the end.
    const size = isLong ? Number(bytes.readBigUInt64BE(at + 8)) : short || end - at;
    if (size < headerSize) return;
    yield { type: bytes.toString('latin1', at + 4, at + 8), start: at + headerSize, end: at + size };
    at += size;
  }
}
