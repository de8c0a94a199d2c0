import { html, nothing, svg, type TemplateResult } from 'lit';

/** Roles of colors in charts. Color-blind people, too, can tell all roles apart. */
export type ColorName = 'brand' | 'good' | 'bad' | 'warn' | 'neutral';

/** A series of bars: for each label, a value or the start and end of the bar. */
export interface Bars {
  label?: string;
  data: readonly (number | null | [from: number, to: number])[];
  /** Each bar's formatted value, shown at the bar if there is room. */
  values: readonly string[];
  /** Address of the records behind each bar, if any. */
  addresses?: readonly (string | undefined)[];
  /** One color for all bars, or a color for each. */
  color: ColorName | readonly ColorName[];
}

/** Content of a bar chart and its table, whose first column is the row header. */
export interface ChartContent {
  /** Name of the image file, without an extension. */
  name: string;
  /** One-sentence summary of the chart for screen readers. */
  summary: string;
  /** What the values cover, such as a period or a lender; included in the image. */
  scope?: string;
  /** When the data was read; included in the image. */
  asOf?: string;
  columns: readonly string[];
  /** Formatted cell texts. */
  rows: readonly (readonly string[])[];
  /** Labels of the bars. An array is shown on several lines. */
  labels: readonly (string | string[])[];
  bars: readonly Bars[];
  /** Whether bars are horizontal, which leaves more room for long labels. */
  isLying?: boolean;
  isStacked?: boolean;
  /** Maximum thickness of a bar, in pixels. By default, bars fill the available space. */
  thickness?: number;
  /** Formats a tick of the value axis. By default, values are counts. */
  tick?: (value: number) => string;
  /** Unit of the values, shown below the axis of horizontal bars. */
  unit?: string;
}

export interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A bar with its place in the chart. */
export interface Bar extends Place {
  name: string;
  value: string;
  /** The value in the axis's format, if that is shorter. */
  short?: string | undefined;
  address: string | undefined;
  color: ColorName;
  /** Whether the bar has a length, so that its value is shown. */
  isLong: boolean;
  /** The area that reacts to the pointer: the bar's space up to its neighbors. */
  space: Place;
}

/** A chart's size in pixels, and the width of a text in its font. */
export interface Frame {
  width: number;
  height: number;
  measure: (text: string, size: number) => number;
}

type WidthOf = (text: string) => number;

/** Font sizes and line heights in pixels, as in the style sheet. */
const LABEL = 12;
/** Font size beside horizontal bars on a phone. */
const SMALL = 10;
const VALUE = 11;
const LINE = 15;
const GAP = 5;
/** Width of a chart on a phone. */
const NARROW = 400;

/** A text in a chart, whose end or middle is at the given position. */
interface Label {
  text: string;
  x: number;
  y: number;
  anchor: 'middle' | 'end';
}

/** Measures that the parts of a chart share. */
interface Scale {
  /** The area of the bars. */
  plot: Place;
  ticks: readonly number[];
  /** Lines of each bar's label. */
  labels: readonly (readonly string[])[];
  /** Thickness of the space for one label. */
  band: number;
  /** Returns a value's distance from the start of the axis. */
  at: (value: number) => number;
  /** Returns the area from one distance to another, within a section of the other axis. */
  placeOf: (from: number, to: number, start: number, thick: number) => Place;
}

/** Breaks a text between words into lines of at most the given width, if the words allow it. */
export function linesOf(
  text: string | readonly string[],
  most: number,
  widthOf: WidthOf,
): string[] {
  if (typeof text !== 'string') return text.flatMap((line) => linesOf(line, most, widthOf));
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (lines.length > 0 && widthOf(longer) <= most) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Returns the axis ticks: multiples of a round step, covering zero and all ends of bars. */
function ticksOf({ bars, labels, isStacked, tick }: ChartContent, most: number): number[] {
  const values = labels.flatMap((_, index) => {
    const own = bars.map(({ data }) => data[index] ?? 0);
    return isStacked === true ? own.flat().reduce((sum, value) => sum + value, 0) : own.flat();
  });
  // Room for the value of the longest bar.
  const grace = isStacked === true ? 1 : 1.05;
  const [low, high] = [Math.min(0, ...values) * grace, Math.max(0, ...values) * grace];
  const rough = (high - low || 1) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const round = ([1, 2, 2.5, 5].find((one) => one * power >= rough) ?? 10) * power;
  const step = tick === undefined ? Math.max(1, Math.ceil(round)) : round;
  const first = Math.floor(low / step);
  const count = Math.max(1, Math.ceil(high / step) - first);
  return Array.from({ length: count + 1 }, (_, index) => (first + index) * step);
}

/** Places the axes so that their texts have room beside the bars. */
function scaleOf(content: ChartContent, { width, height }: Frame, widthOf: WidthOf): Scale {
  const { isLying = false, tick = String, unit } = content;
  const widest = (lines: readonly string[]) => Math.max(0, ...lines.map(widthOf));
  const tickWidth = (ticks: readonly number[]) => widest(ticks.map(tick));
  const fits = (ticks: readonly number[]) =>
    !isLying || (tickWidth(ticks) + LABEL) * ticks.length <= width * 0.6;
  const ticks =
    [5, 4, 3, 2].map((most) => ticksOf(content, most)).find(fits) ?? ticksOf(content, 1);
  const y = 8;
  const count = Math.max(1, content.labels.length);
  const below = isLying && unit !== undefined ? 2 : 1;
  // Labels of horizontal bars get more room if their lines would overlap.
  const lines = (height - 2 * y - below * LINE) / count / LINE;
  const [narrow, wide] = [Math.min(160, width * 0.32), Math.min(240, width * 0.45)].map((side) =>
    content.labels.map((label) => linesOf(label, side, widthOf)),
  );
  const lying = (narrow?.some(({ length }) => length > lines) ? wide : narrow) ?? [];
  const x = (isLying ? widest(lying.flat()) : tickWidth(ticks)) + 8;
  const plotWidth = width - x - (isLying ? Math.max(4, tickWidth(ticks) / 2) : 4);
  const labels = isLying ? lying : besideEachOther(content.labels, plotWidth / count, widthOf);
  const under = isLying ? below : Math.max(1, ...labels.map(({ length }) => length));
  const plot = { x, y, width: plotWidth, height: Math.max(0, height - 2 * y - under * LINE) };
  const along = isLying ? plot.width : plot.height;
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  return {
    plot,
    ticks,
    labels,
    band: (isLying ? plot.height : plot.width) / count,
    at: (value) => ((value - low) / (high - low)) * along,
    placeOf: (from, to, start, thick) => {
      const [near, length] = [Math.min(from, to), Math.abs(to - from)];
      return isLying
        ? { x: x + near, y: y + start, width: length, height: thick }
        : { x: x + start, y: y + along - near - length, width: thick, height: length };
    },
  };
}

/**
 * Returns the label lines below vertical bars. If there are many labels, only those that fit side
 * by side have lines; the table has them all.
 */
function besideEachOther(labels: ChartContent['labels'], band: number, widthOf: WidthOf) {
  const widest = (lines: readonly string[]) => Math.max(0, ...lines.map(widthOf));
  const broken = labels.map((label) => linesOf(label, band - 4, widthOf));
  if (labels.length <= 7 && widest(broken.flat()) <= band) return broken;
  const whole = labels.map((label) => [label].flat().join(' '));
  const every = Math.max(1, Math.ceil((widest(whole) + GAP) / band));
  return whole.map((label, index) => (index % every === 0 ? [label] : []));
}

/** Places the bars: those for one label are stacked or side by side. */
function barsOf(content: ChartContent, { at, band, placeOf, ticks }: Scale): Bar[] {
  const { labels, bars: all, isStacked = false, tick } = content;
  const slots = isStacked ? 1 : all.length;
  const thick = Math.min(content.thickness ?? Infinity, (band * 0.72) / slots);
  const pitch = Math.min((band * 0.8) / slots, thick * 1.15);
  const room = slots === 1 ? band : pitch;
  return labels.flatMap((label, index) => {
    let sum = 0;
    return all.flatMap((series, slot): Bar[] => {
      const value = series.data[index] ?? null;
      // A stacked value of zero has no bar.
      if (value === null || (isStacked && value === 0)) return [];
      const [from, to] = typeof value === 'number' ? [sum, sum + value] : value;
      if (isStacked) sum = to;
      const middle = (index + 0.5) * band + (isStacked ? 0 : slot - (slots - 1) / 2) * pitch;
      const start = Math.min(at(from), at(to));
      // A step of a walk is visible however small it is.
      const length = Math.max(Math.abs(at(to) - at(from)), typeof value === 'number' ? 0 : 2);
      const place = placeOf(start, start + length, middle - thick / 2, thick);
      const whole = placeOf(0, at(ticks.at(-1) ?? 0), middle - room / 2, room);
      const { color } = series;
      return [
        {
          ...place,
          name: [label, series.label].flat().filter(Boolean).join(', '),
          value: series.values[index] ?? '',
          short: typeof value === 'number' ? tick?.(value) : undefined,
          address: series.addresses?.[index],
          color: typeof color === 'string' ? color : (color[index] ?? 'neutral'),
          isLong: value !== 0,
          space: isStacked ? place : whole,
        },
      ];
    });
  });
}

/** Places the labels of bars and ticks, and the unit. */
function labelsOf(content: ChartContent, { at, band, labels, plot, ticks }: Scale, lead: number) {
  const { isLying = false, tick = String, unit } = content;
  const bottom = plot.y + plot.height + 8;
  const middleOf = (index: number) => (index + 0.5) * band;
  const texts = labels.flatMap((lines, index) =>
    lines.map((text, line): Label =>
      isLying
        ? {
            text,
            x: plot.x - 8,
            anchor: 'end',
            y: plot.y + middleOf(index) + (line - (lines.length - 1) / 2) * lead,
          }
        : {
            text,
            x: plot.x + middleOf(index),
            anchor: 'middle',
            y: bottom + (line + 0.5) * LINE,
          },
    ),
  );
  for (const value of ticks) {
    const text = tick(value);
    if (isLying) {
      texts.push({ text, x: plot.x + at(value), y: bottom + LINE / 2, anchor: 'middle' });
    } else {
      texts.push({ text, x: plot.x - 8, y: plot.y + plot.height - at(value), anchor: 'end' });
    }
  }
  if (isLying && unit !== undefined) {
    const x = plot.x + plot.width / 2;
    texts.push({ text: unit, x, y: bottom + LINE * 1.5, anchor: 'middle' });
  }
  return texts;
}

/** Places the names of several series in centered lines, from the top of the legend. */
function legendOf(all: readonly Bars[], width: number, widthOf: WidthOf) {
  const rows: { color: ColorName; text: string; x: number; end: number }[][] = [];
  for (const { label: text = '', color } of all.length < 2 ? [] : all) {
    const row = rows.at(-1);
    const x = (row?.at(-1)?.end ?? -LINE) + LINE;
    const end = x + LINE + widthOf(text);
    const item = { color: typeof color === 'string' ? color : 'brand', text } as const;
    if (row !== undefined && end <= width) row.push({ ...item, x, end });
    else rows.push([{ ...item, x: 0, end: end - x }]);
  }
  return rows.flatMap((row, line) =>
    row.map(({ color, text, x }) => ({
      color,
      text,
      x: x + (width - (row.at(-1)?.end ?? 0)) / 2,
      y: line * (LINE + 4),
    })),
  );
}

/** Returns the values that fit beside or on their bars without touching anything else. */
function valuesOf(content: ChartContent, bars: readonly Bar[], plot: Place, widthOf: WidthOf) {
  const taken: Place[] = [...bars];
  return bars.flatMap((bar) => {
    const texts = bar.isLong ? [bar.value, ...(bar.short === undefined ? [] : [bar.short])] : [];
    for (const text of texts) {
      const width = widthOf(text);
      const beside =
        content.isStacked === true ? [] : besides(bar, width, content.isLying === true);
      const free = beside.find(
        (spot) =>
          spot.x >= plot.x &&
          spot.x + width <= plot.x + plot.width &&
          spot.y >= plot.y &&
          taken.every((other) => other === bar || !overlap(other, spot)),
      );
      if (free !== undefined) taken.push(free);
      const isWithin = bar.width >= width + 2 * GAP && bar.height >= VALUE + 2;
      const spot = free ?? (isWithin ? bar : undefined);
      if (spot === undefined) continue;
      const [x, y] = [spot.x + spot.width / 2, spot.y + spot.height / 2];
      return [{ text, x, y, class: spot === bar ? `on ${bar.color}` : '' }];
    }
    return [];
  });
}

/**
 * Returns the places for a text beside a bar: above a vertical one, to the right and left of a
 * horizontal one.
 */
function besides({ x, y, width, height }: Place, length: number, isLying: boolean): Place[] {
  const size = { width: length, height: VALUE };
  if (!isLying) return [{ ...size, x: x + (width - length) / 2, y: y - VALUE - 3 }];
  if (height < VALUE) return [];
  const middle = y + (height - VALUE) / 2;
  return [
    { ...size, x: x + width + GAP, y: middle },
    { ...size, x: x - GAP - length, y: middle },
  ];
}

function overlap(one: Place, other: Place): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

/** Hatching lines by role, for forced colors and for paper. Other roles have none. */
const hatches = {
  good: 'M-2 2l4-4M-2 10L10-2M6 10l4-4',
  bad: 'M0 4h8M4 0v8',
  warn: 'M0 4h8',
} as const;

const rectOf = ({ x, y, width, height }: Place, style: string, fill?: string) =>
  svg`<rect class=${style} fill=${fill ?? nothing} x=${x} y=${y} width=${width} height=${height} />`;

interface Shown {
  /** Name of the chart, used in its element IDs. */
  id: string;
  label: string;
  /** Name of the list of bars for screen readers. */
  list: string;
  /** The bar whose value is shown because it has the focus or is below the pointer. */
  active?: number | undefined;
}

/** Draws a chart. Each bar is a link to its records, or a text. Tab reaches only one of them. */
export function chartView(content: ChartContent, frame: Frame, shown: Shown): TemplateResult {
  const { width, height, measure } = frame;
  const { id, label, list, active } = shown;
  const isSmall = content.isLying === true && width < NARROW;
  const widthOf = (text: string) => measure(text, isSmall ? SMALL : LABEL);
  const legend = legendOf(content.bars, width, widthOf);
  const legendTop = height - (legend.at(-1)?.y ?? -LINE) - LINE;
  const inner = { ...frame, height: legend.length === 0 ? height : legendTop - 12 };
  const scale = scaleOf(content, inner, widthOf);
  const { plot } = scale;
  const bars = barsOf(content, scale);
  const values = valuesOf(content, bars, plot, (text) => measure(text, VALUE));
  const across = scale.band * content.labels.length;
  const filled = (
    color: ColorName,
    place: Place,
  ) => svg`${rectOf(place, 'bar', `var(--chart-${color})`)}
    ${color in hatches ? rectOf(place, 'hatch', `url(#${id}-${color})`) : nothing}`;
  return html`<svg
    class=${content.isStacked === true ? 'stack' : nothing}
    role="group"
    aria-label="${label}. ${content.summary}"
    viewBox="0 0 ${width} ${height}"
    width=${width}
    height=${height}
  >
    <defs>
      ${Object.entries(hatches).map(
        ([name, path]) =>
          svg`<pattern id="${id}-${name}" width="8" height="8" patternUnits="userSpaceOnUse">
            <path d=${path} />
          </pattern>`,
      )}
    </defs>
    <g aria-hidden="true" class=${isSmall ? 'small' : nothing}>
      ${scale.ticks.map((value) => {
        const line = scale.placeOf(scale.at(value), scale.at(value), 0, across);
        const [x2, y2] = [line.x + line.width, line.y + line.height];
        return svg`<line x1=${line.x} y1=${line.y} x2=${x2} y2=${y2} />`;
      })}
      ${labelsOf(content, scale, isSmall ? SMALL + 2 : LINE - 1).map(
        ({ text, x, y, anchor }) => svg`<text text-anchor=${anchor} x=${x} y=${y}>${text}</text>`,
      )}
      ${legend.map(
        ({ color, text, x, y }) =>
          svg`${filled(color, { x, y: legendTop + y, width: 10, height: 10 })}
          <text x=${x + LINE} y=${legendTop + y + 5}>${text}</text>`,
      )}
    </g>
    <g role="list" aria-label=${list} class="bars">
      ${bars.map((bar, index) => {
        const drawn = svg`${rectOf(bar.space, 'space')} ${filled(bar.color, bar)}`;
        const name = `${bar.name}: ${bar.value}`;
        const tab = index === 0 ? 0 : -1;
        return svg`<g role="listitem">${
          bar.address === undefined
            ? svg`<g role="img" aria-label=${name} tabindex=${tab} data-index=${index}>${drawn}</g>`
            : svg`<a href=${bar.address} aria-label=${name} tabindex=${tab} data-index=${index}>${drawn}</a>`
        }</g>`;
      })}
    </g>
    <g aria-hidden="true" class="values" text-anchor="middle">
      ${values.map(
        ({ text, x, y, class: style }) => svg`<text class=${style} x=${x} y=${y}>${text}</text>`,
      )}
      ${tipView(active === undefined ? undefined : bars[active], frame)}
    </g>
  </svg>`;
}

/** Shows a bar's name and value next to it, within the chart. */
function tipView(bar: Bar | undefined, { width, measure }: Frame) {
  if (bar === undefined) return nothing;
  const most = width - 4 * GAP;
  const lines = [bar.name, bar.value].flatMap((text) =>
    linesOf(text, most, (part) => measure(part, LABEL)),
  );
  const size = {
    width: Math.max(...lines.map((line) => measure(line, LABEL))) + 4 * GAP,
    height: lines.length * LINE + GAP,
  };
  const above = bar.y - size.height - GAP;
  const x = Math.max(0, Math.min(width - size.width, bar.x + (bar.width - size.width) / 2));
  const y = above < 0 ? bar.y + bar.height + GAP : above;
  const textAt = (line: number) => y + (line + 0.5) * LINE + GAP / 2;
  return svg`${rectOf({ x, y, ...size }, 'tip')}
    ${lines.map(
      (line, index) =>
        svg`<text class="tip" x=${x + size.width / 2} y=${textAt(index)}>${line}</text>`,
    )}`;
}
