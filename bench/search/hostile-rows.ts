import { Latencies } from '../latencies.js';
import { atMost, type Line } from '../report.js';

const clients = 8;
const syllables = [...'bdfgklmnprst'].flatMap((consonant) => [...'aeiou'].map((vowel) => `${consonant}${vowel}`));
const each = (search: (syllable: string, at: number) => string) => syllables.map(search);
const shifted = (at: number, by: number) => syllables[(at + by) % syllables.length];

/** Searches that ask for as much as a search may, and for more. */
const hostileSearches: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'sixty words with every syllable': { query: each((syllable) => `*${syllable}*`).join(' ') },
  'sixty beginnings': { query: each((syllable) => `${syllable}*`).join(' ') },
  'sixty pairs of syllables': { query: each((syllable, at) => `*${syllable}${shifted(at, 7)}*`).join(' ') },
  'everything about a word': { query: `*a* *e* -*o*`, sort: 'relevance', explain: 'true' },
  'ten similar words': {
    text: each((syllable, at) => `${syllable}${shifted(at, 3)}${shifted(at, 11)}`)
      .slice(0, 10)
      .join(' '),
    fuzzy: '',
  },
  'a phrase of two common letters': { phrase: 'a b' },
  'a thousand tags': { tags: Array.from({ length: 1_000 }, (_, at) => `t${at}*`).join(',') },
  'values of all properties': { properties: each((syllable) => `..*${syllable}*`).join(',') },
  'all files': { attachments: '*.*' },
};

/** Measures each of these searches with many clients at the same time. */
export async function measureHostile(origin: string): Promise<Line[]> {
  const search = async (params: Readonly<Record<string, string>>) => {
    const answer = await fetch(`${origin}/logbook/logs/search?${new URLSearchParams(params)}`);
    await answer.arrayBuffer();
    return answer.status;
  };
  const lines: Line[] = [];
  for (const [name, params] of Object.entries(hostileSearches)) {
    const latencies = new Latencies();
    const statuses = await Promise.all(
      Array.from({ length: clients }, async () => {
        const startedMs = performance.now();
        const status = await search(params);
        latencies.add(performance.now() - startedMs);
        return status;
      }),
    );
    const { p99 } = latencies.summary();
    const wrong = statuses.filter((status) => status !== 200 && status !== 400);
    lines.push({
      name: `hostile: ${name}, ${clients} clients`,
      figure: `${[...new Set(statuses)].join(', ')} within ${p99.toFixed(0)} ms`,
      aim: atMost(wrong.length, 0, 'other than 200 and 400'),
    });
  }
  return lines;
}
