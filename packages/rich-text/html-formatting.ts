type Attributes = Readonly<Record<string, string>>;

/** Elements that CommonMark can express, or that have no effect of their own. */
const known = new Set(
  'a abbr acronym address article aside b blockquote body br caption cite code col colgroup dd dfn div dl dt em fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html i img kbd legend li link listing main meta nav ol p pre q samp script section span strong style sub summary sup table tbody td tfoot th thead time title tr tt ul var wbr xmp nobr bdi data'.split(
    ' ',
  ),
);
/** Attributes with formatting that CommonMark cannot express. */
const formatting = ['color', 'bgcolor', 'align', 'valign', 'face', 'background', 'colspan', 'rowspan'];
/** Declarations that only affect the layout of the editor's page. */
const withoutMeaning =
  /^(width|height|(min|max)-(width|height)|border.*|margin.*|padding.*|line-height|float|clear|cursor|outline.*|list-style.*|page-break.*|word-.*|overflow.*|white-space|box-sizing|display|mso-.*|-webkit-.*|orphans|widows|text-indent|letter-spacing)$/;
/** Declarations that CommonMark can express. */
const expressible = /^(font-weight|font-style|vertical-align)$/;

const maxStyle = 10_000;

/** Whether an element shows more than CommonMark can. */
export function isLossyElement(name: string, attributes: Attributes): boolean {
  if (!known.has(name) && !/^o:p$/.test(name)) return true;
  if (formatting.some((one) => attributes[one] !== undefined && !/^(1|left|top|)$/i.test(attributes[one] ?? '')))
    return true;
  if (name === 'font' && attributes.size !== undefined) return true;
  if (name === 'ol' && attributes.reversed !== undefined) return true;
  return declarationsOf(attributes.style).some(
    ([property, value]) =>
      !withoutMeaning.test(property) &&
      !expressible.test(property) &&
      !/^(normal|inherit|initial|auto|none|transparent|left|start|baseline|)$/.test(value),
  );
}

/** Returns the marks that a style attribute expresses. */
export function formattingOf(style: string | undefined): ('strong' | 'emphasis' | 'above' | 'below')[] {
  return declarationsOf(style).flatMap(([property, value]) => {
    if (property === 'font-weight') return /^(bold|bolder|[6-9]00)$/.test(value) ? ['strong' as const] : [];
    if (property === 'font-style') return value === 'italic' ? ['emphasis' as const] : [];
    if (property !== 'vertical-align') return [];
    return value === 'super' ? ['above' as const] : value === 'sub' ? ['below' as const] : [];
  });
}

/** Whether a style states that the text is not bold. */
export function isNotBold(style: string | undefined): boolean {
  return declarationsOf(style).some(([property, value]) => property === 'font-weight' && /^(normal|400)$/.test(value));
}

/** Returns a size of an image in pixels, from its attribute or its style; undefined when there is none. */
export function pixelsOf(
  name: 'width' | 'height',
  attribute: string | undefined,
  style: string | undefined,
): number | undefined {
  const [, declared] = declarationsOf(style).find(([property]) => property === name) ?? [];
  const [, pixels] = /^(\d{1,5})(?:[.]\d+)?(?:px)?$/.exec((declared ?? attribute ?? '').trim()) ?? [];
  return pixels === undefined || Number(pixels) === 0 ? undefined : Number(pixels);
}

const backgroundProperty = /^(?:background|background-image|list-style|list-style-image|border-image|content)$/;

/** A declaration of a style or a style sheet, which ends at a semicolon outside of an address. */
const declaration =
  /(?:^|[;{}])\s*([\w-]{1,40})\s*:((?:url\((?:\s*"[^"]{0,2000}"\s*|\s*'[^']{0,2000}'\s*|[^()"']{0,2000})\)|[^;{}])*)/gi;
const pictureAddress = /url\((?:\s*"([^"]{0,2000})"\s*|\s*'([^']{0,2000})'\s*|([^()"']{0,2000}))\)/gi;

/** Returns the addresses of the background, bullet, border and content images in a style or a style sheet. */
export function picturesInStyle(style: string): string[] {
  const addresses = new Set<string>();
  for (const [, property = '', value = ''] of withoutComments(style).matchAll(declaration)) {
    if (!backgroundProperty.test(property.toLowerCase())) continue;
    for (const [, double, single, bare] of value.matchAll(pictureAddress)) {
      const address = (double ?? single ?? bare ?? '').replace(/\\(.)/g, '$1').trim();
      if (address !== '') addresses.add(address);
    }
  }
  return [...addresses];
}

function withoutComments(style: string): string {
  const [first = '', ...others] = style.split('/*');
  return first + others.map((part) => (part.includes('*/') ? part.slice(part.indexOf('*/') + 2) : '')).join('');
}

function declarationsOf(style: string | undefined): [property: string, value: string][] {
  if (style === undefined) return [];
  return style
    .slice(0, maxStyle)
    .split(';')
    .map((declaration): [string, string] => {
      const colon = declaration.indexOf(':');
      if (colon < 0) return ['', ''];
      return [
        declaration.slice(0, colon).trim().toLowerCase(),
        declaration
          .slice(colon + 1)
          .trim()
          .toLowerCase(),
      ];
    });
}
