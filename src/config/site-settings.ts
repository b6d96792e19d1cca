import { parsePlugins } from './plugin-settings.js';
import { parseShift, parseTimeZone } from './setting-parsers.js';
import { duration, flag, list, optionalText, setting } from './setting-types.js';

/** Settings for the catalogue, the searches, the plug-ins and the shifts of a site. */
export const siteSettings = {
  initialCatalogFile: {
    ...optionalText('FILE', 'JSON file with the levels, logbooks, tags and properties of a new database.'),
    formerNames: ['catalogFile'],
    isFile: true,
  },
  attachmentTextSearch: {
    ...flag(
      'true',
      'Whether searches find the text inside attachments (text, HTML, PDF). A separate process extracts it later.',
    ),
    formerNames: ['searchAttachments'],
  },
  plugins: setting(
    'MODULES',
    '',
    'Plug-ins to load, comma-separated: files or packages, each as module or name=module.',
    parsePlugins,
  ),
  mcp: flag(
    'false',
    'Whether agents may read and draft at /mcp with the Model Context Protocol, each with an API token.',
  ),
  runTimeout: duration('1d', 'Time without an append after which a run counts as abandoned. An append continues it.'),
  timeZone: setting(
    'ZONE',
    '',
    'IANA time zone for times in searches without a zone. Empty: the zone of the machine.',
    parseTimeZone,
  ),
  shifts: list(
    'SHIFTS',
    'Early 07:00, Late 15:00, Night 23:00',
    'Shifts that the browser client hands over, each a name and the time in timeZone when it begins.',
    parseShift,
  ),
} as const;
