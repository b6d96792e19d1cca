import type { TextEncoding } from '../kernel/text-encoding.js';

/** Byte ranges of common characters in an encoding with one or two bytes per character. */
interface Script {
  readonly encoding: TextEncoding;
  isLead(byte: number): boolean;
  /** Whether the two bytes are a character that is common in texts, or a symbol. */
  isCommon(lead: number, trail: number): boolean;
  /** Whether the counts are typical of this script, and not of another one with the same bytes. */
  isTypical?(counts: PairCounts): boolean;
}

interface PairCounts {
  /** Number of characters with two bytes. */
  readonly pairs: number;
  readonly common: number;
  /**
   * Number of two-byte characters next to another one, as in words. A western sign and the letter after it, such as
   * `µs`, look like a two-byte character that stands alone.
   */
  readonly inWords: number;
  /** Number of kana, which are Japanese. The same bytes are rare in other scripts. */
  readonly kana: number;
}

const isWithin = (byte: number, first: number, last: number): boolean => byte >= first && byte <= last;
const isHigh = (byte: number): boolean => isWithin(byte, 0xa1, 0xfe);

/** Known scripts. For equal scores, the first one wins. */
const scripts: readonly Script[] = [
  {
    encoding: 'shift_jis',
    isLead: (byte) => isWithin(byte, 0x81, 0x9f) || isWithin(byte, 0xe0, 0xef),
    isCommon: (lead, trail) =>
      isWithin(lead, 0x81, 0x83) || isWithin(lead, 0x88, 0x98) || (lead === 0x84 && trail > 0x9e),
  },
  {
    encoding: 'euc-jp',
    isLead: isHigh,
    isCommon: (lead, trail) => isHigh(trail) && (isWithin(lead, 0xa1, 0xa5) || isWithin(lead, 0xb0, 0xcf)),
    isTypical: ({ kana, pairs }) => kana >= pairs / 10,
  },
  {
    encoding: 'euc-kr',
    isLead: (byte) => isWithin(byte, 0x81, 0xfe),
    isCommon: (lead, trail) => isHigh(trail) && (isWithin(lead, 0xa1, 0xa3) || isWithin(lead, 0xb0, 0xc8)),
    // A few Chinese characters may have such bytes by chance.
    isTypical: ({ common, pairs }) => pairs >= 4 && common >= pairs * 0.9,
  },
  {
    encoding: 'gb18030',
    isLead: (byte) => isWithin(byte, 0x81, 0xfe),
    isCommon: (lead, trail) => isHigh(trail) && (isWithin(lead, 0xa1, 0xa3) || isWithin(lead, 0xb0, 0xd7)),
  },
  {
    encoding: 'big5',
    isLead: (byte) => isWithin(byte, 0x81, 0xfe),
    isCommon: (lead) => isWithin(lead, 0xa1, 0xc6),
  },
];

const minPairs = 2;
const minCommonShare = 0.75;
const minWordShare = 0.6;

/**
 * Detects the East Asian encoding in which the bytes are valid, with several common characters in a row; undefined if
 * there is none.
 * @param isValid whether the bytes can be decoded
 */
export function detectMultiByte(
  bytes: Uint8Array,
  isValid: (encoding: TextEncoding) => boolean,
): TextEncoding | undefined {
  let [best, bestShare] = [undefined as TextEncoding | undefined, 0];
  for (const script of scripts) {
    const counts = countPairs(bytes, script);
    const { pairs, common, inWords } = counts;
    const share = common / pairs;
    if (pairs < minPairs || share < minCommonShare || inWords < pairs * minWordShare || share <= bestShare) continue;
    if (script.isTypical?.(counts) === false || !isValid(script.encoding)) continue;
    [best, bestShare] = [script.encoding, share];
  }
  return best;
}

function countPairs(bytes: Uint8Array, { isLead, isCommon }: Script): PairCounts {
  const counts = { pairs: 0, common: 0, inWords: 0, kana: 0 };
  let run = 0;
  const endRun = () => {
    if (run > 1) counts.inWords += run;
    run = 0;
  };
  for (let at = 0; at < bytes.length; at += 1) {
    const [lead = 0, trail = 0] = [bytes[at], bytes[at + 1]];
    if (!isLead(lead) || trail < 0x40) {
      endRun();
      continue;
    }
    counts.pairs += 1;
    run += 1;
    if (isCommon(lead, trail)) counts.common += 1;
    if ((lead === 0xa4 || lead === 0xa5) && isHigh(trail)) counts.kana += 1;
    at += 1;
  }
  endRun();
  return counts;
}
