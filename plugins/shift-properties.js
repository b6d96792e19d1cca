/**
 * Adds a property with the current shift to each new entry. A service of the site provides the shift as a JSON object:
 *
 *   {"id": "2030-01-01-night", "leader": "J. Doe"}
 *
 * Each string, number or boolean in it becomes an attribute. Settings:
 *
 *   plugin.shift-properties.url = https://shifts.example.org/now
 *   plugin.shift-properties.property = Shift     (name of the property)
 *   plugin.shift-properties.cacheSeconds = 5     (how long a response or a failure is cached)
 *
 * @module
 * @typedef {import('../src/plugins/plugin.js').PluginContext} PluginContext
 * @typedef {import('../src/plugins/plugin.js').Plugin} Plugin
 * @typedef {import('../src/plugins/plugin.js').ProvidedProperty} ProvidedProperty
 */

// Less than the time limit of a property provider.
const timeoutMs = 1_500;
const maxResponseBytes = 65_536;

/**
 * @param {PluginContext} context
 * @returns {Plugin}
 */
export default function shiftProperties({ name, settings }) {
  const { url = '', property = 'Shift', cacheSeconds = '5' } = settings;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new Error(`plugin.${name}.url must be a web address such as https://shifts.example.org/now`);
  }
  if (!/^\d+(\.\d+)?$/.test(cacheSeconds)) throw new Error(`plugin.${name}.cacheSeconds must be a number`);
  const cacheMs = Number(cacheSeconds) * 1_000;

  /** @type {{ shift: Promise<ProvidedProperty[]>, until: number } | undefined} */
  let cached;

  return {
    propertyProvider() {
      const now = performance.now();
      // Concurrent entries wait for the same response. Failures are cached too, so that not every entry waits for one.
      if (!cached || now >= cached.until) cached = { shift: fetchShift(url, property), until: now + cacheMs };
      return cached.shift;
    },
  };
}

/**
 * @param {string} url
 * @param {string} property
 * @returns {Promise<ProvidedProperty[]>}
 */
async function fetchShift(url, property) {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the shift service responded with status ${response.status}`);
  }
  /** @type {unknown} */
  const shift = JSON.parse(await readText(response));
  if (typeof shift !== 'object' || shift === null || Array.isArray(shift)) {
    throw new Error('the response of the shift service is not a JSON object');
  }
  const attributes = Object.entries(shift)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .map(([name, value]) => ({ name, value: String(value) }));
  return attributes.length === 0 ? [] : [{ name: property, attributes }];
}

/** @param {Response} response */
async function readText(response) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxResponseBytes)
      throw new Error(`the response of the shift service is larger than ${maxResponseBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
