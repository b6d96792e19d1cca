import { parseXml } from '../app/trusted-types.ts';
import { type DataBrowserAxis, type DataBrowserTrace, withDevices } from './data-browser-axes.ts';
import { type DataBrowserRange, dataBrowserRange } from './data-browser-range.ts';

/** The plot that a file of the Data Browser of Phoebus describes. */
export interface DataBrowserPlot {
  readonly title: string;
  readonly range: DataBrowserRange;
  /** Axes without a device are left out. */
  readonly axes: readonly DataBrowserAxis[];
  /** The first devices that exceed the limit of a plot. */
  readonly omittedDevices: readonly string[];
}

const maxNameLength = 200;

/** Reads a file of the Data Browser; undefined for other files and files without a plot. */
export function readDataBrowser(xml: string, aroundMs: number): DataBrowserPlot | undefined {
  // A truncated file is not valid XML. Data Browser files have no document type and define no entities.
  const isWhole = xml.includes('<databrowser>') && xml.trimEnd().endsWith('</databrowser>');
  if (!isWhole || /<!(?:DOCTYPE|ENTITY)/i.test(xml)) return undefined;
  const { documentElement: root } = parseXml(xml);
  if (root.nodeName !== 'databrowser' || root.getElementsByTagName('parsererror').length > 0) return undefined;
  const range = dataBrowserRange(textOf(root, 'start'), textOf(root, 'end'), aroundMs);
  const heads = childrenOf(root, 'axes', 'axis').map((axis) => {
    const name = textOf(axis, 'use_axis_name') === 'false' ? '' : textOf(axis, 'name');
    return { name: name === '' ? undefined : name, isLog: textOf(axis, 'log_scale') === 'true' };
  });
  const { axes, omittedDevices } = withDevices(heads, readTraces(root));
  return range && axes.length > 0 ? { title: textOf(root, 'title'), range, axes, omittedDevices } : undefined;
}

function readTraces(root: Element): DataBrowserTrace[] {
  return childrenOf(root, 'pvlist', 'pv').flatMap((pv) => {
    // The prefix names a protocol.
    const device = textOf(pv, 'name').replace(/^(?:ca|pva):\/\//, '');
    if (device === '' || textOf(pv, 'visible') === 'false') return [];
    return [{ device, axis: Number(textOf(pv, 'axis') || 0) }];
  });
}

function childrenOf(root: Element, list: string, name: string): Element[] {
  const of = (parent: Element | undefined, wanted: string) =>
    [...(parent?.children ?? [])].filter(({ nodeName }) => nodeName === wanted);
  return of(of(root, list)[0], name);
}

function textOf(parent: Element, name: string): string {
  const child = [...parent.children].find(({ nodeName }) => nodeName === name);
  return (child?.textContent ?? '').trim().slice(0, maxNameLength);
}
