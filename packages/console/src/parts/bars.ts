import { html, nothing, svg, type TemplateResult } from 'lit';

/** Roles of colors in charts. Each role differs from the others also for people who are color blind. */
export type ColourName = 'brand' | 'good' | 'bad' | 'warn' | 'neutral';

/** A series of bars: for each label, a value or the start and end of the bar. */
export interface Bars {
  label?: string;
  data: readonly (number | null | [from: number, to: number])[];
  /** The formatted value of each bar, which stands on the bar where there is room. */
  values: readonly string[];
  /** Address of the records behind each bar, if there is one. */
  addresses?: readonly (string | undefined)[];
  /** Color of all bars, or of each bar. */
  colour: ColourName | readonly ColourName[];
}

/** Content of a bar chart and of its table, whose first column is the row header. */
export interface ChartContent {
  /** Name of the image file, without an extension. */
  name: string;
  /** One-sentence summary of the chart for screen readers. */
  summary: string;
  /** What the values cover, such as a period or a lender. It stands on the image. */
  scope?: string;
  /** When the data was read. It stands on the image. */
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
  /** Unit of the values, below the axis of horizontal bars. */
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
  /** The value as its axis states it, if that is shorter. */
  short?: string | undefined;
  address: string | undefined;
  colour: ColourName;
  /** Whether the bar has a length, so that its value is to be read. */
  isLong: boolean;
  /** What reacts to the pointer: the space of the bar up to its neighbors. */
  space: Place;
}

/** Size of a chart in pixels, and the width of a text in its font. */
export interface Frame {
  width: number;
  height: number;
  measure: (text: string, size: number) => number;
}

/** Font sizes and line heights in pixels; they are those of the style sheet. */
const LABEL = 12;
/** Beside horizontal bars on a phone. */
const SMALL = 10;
const VALUE = 11;
const LINE = 15;
const GAP = 5;
/** Width of a chart on a phone. */
const NARROW = 400;

interface Layout {
  isSmall: boolean;
  bars: Bar[];
  plot: Place;
  lines: Place[];
  texts: { text: string; x: number; y: number; anchor: 'start' | 'middle' | 'end' }[];
  legend: { colour: ColourName; text: string; x: number; y: number }[];
}

/** Breaks a text between words, into lines of at most a width where the words allow it. */
export function linesOf(
  text: string | readonly string[],
  most: number,
  widthOf: (text: string) => number,
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

/** Returns the ticks of the axis: multiples of a round step, which include zero and all ends of bars. */
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

/** Places the parts of a chart. */
export function layoutOf(content: ChartContent, { width, height, measure }: Frame): Layout {
  const { labels, bars: all, isLying = false, isStacked = false, unit } = content;
  const tick = content.tick ?? String;
  const isSmall = isLying && width < NARROW;
  const widthOf = (text: string) => measure(text, isSmall ? SMALL : LABEL);
  const widest = (lines: readonly string[]) => Math.max(0, ...lines.map(widthOf));
  const legend = legendOf(all, width, widthOf);
  const legendHeight = (legend.at(-1)?.y ?? -LINE) + LINE;
  const fitting = (ticks: readonly number[]) =>
    widest(ticks.map(tick)) + LABEL <= (width * 0.6) / ticks.length;
  const ticks =
    [5, 4, 3, 2].map((most) => ticksOf(content, most)).find((one) => !isLying || fitting(one)) ??
    ticksOf(content, 1);
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)];
  const ofTicks = widest(ticks.map(tick));

  const side = isLying
    ? labels.map((label) => linesOf(label, Math.min(160, width * 0.32), widthOf))
    : [];
  const left = (isLying ? widest(side.flat()) : ofTicks) + 8;
  const plotWidth = width - left - (isLying ? Math.max(4, ofTicks / 2) : 4);
  const band = (isLying ? height : plotWidth) / Math.max(1, labels.length);
  const below = isLying
    ? side
    : labels.map((label) => linesOf(label, labels.length > 7 ? Infinity : band - 4, widthOf));
  // Of labels that do not fit side by side, some are shown; the table has them all.
  const fits = isLying || widest(below.flat()) <= band;
  const whole = below.map((lines) => lines.join(' '));
  const every = fits ? 1 : Math.ceil((widest(whole) + GAP) / band);
  const footLines = isLying
    ? 1 + (unit === undefined ? 0 : 1)
    : Math.max(1, ...below.map((lines) => (fits ? lines.length : 1)));
  const plot = {
    x: left,
    y: 8,
    width: plotWidth,
    height: height - 8 - 8 - footLines * LINE - legendHeight - (legend.length > 0 ? 12 : 0),
  };
  const along = isLying ? plot.width : plot.height;
  const across = (isLying ? plot.height : plot.width) / Math.max(1, labels.length);
  const at = (value: number) => ((value - low) / (high - low)) * along;
  const placeOf = (from: number, to: number, start: number, thick: number): Place => {
    const [near, far] = [Math.min(from, to), Math.max(from, to)];
    return isLying
      ? { x: plot.x + near, y: plot.y + start, width: far - near, height: thick }
      : { x: plot.x + start, y: plot.y + plot.height - far, width: thick, height: far - near };
  };

  const slots = isStacked ? 1 : all.length;
  const thick = Math.min(content.thickness ?? Infinity, (across * 0.72) / slots);
  const pitch = Math.min((across * 0.8) / slots, thick * 1.15);
  const bars = labels.flatMap((label, index) => {
    let sum = 0;
    return all.flatMap((series, slot): Bar[] => {
      const value = series.data[index] ?? null;
      // A part of a stack without a length is none.
      if (value === null || (isStacked && value === 0)) return [];
      const [from, to] = typeof value === 'number' ? [sum, sum + value] : value;
      if (isStacked) sum = to;
      const middle = (index + 0.5) * across + (isStacked ? 0 : slot - (slots - 1) / 2) * pitch;
      // A step of a walk is seen however small it is.
      const length = Math.max(Math.abs(at(to) - at(from)), typeof value === 'number' ? 0 : 2);
      const start = Math.min(at(from), at(to));
      const place = placeOf(start, start + length, middle - thick / 2, thick);
      const room = slots === 1 ? across : pitch;
      const { colour } = series;
      return [
        {
          ...place,
          name: [label, series.label].flat().filter(Boolean).join(', '),
          value: series.values[index] ?? '',
          short: typeof value === 'number' ? content.tick?.(value) : undefined,
          address: series.addresses?.[index],
          colour: typeof colour === 'string' ? colour : (colour[index] ?? 'neutral'),
          isLong: value !== 0,
          space: isStacked ? place : placeOf(0, along, middle - room / 2, room),
        },
      ];
    });
  });

  const bottom = plot.y + plot.height + 8;
  const texts = labels.flatMap((_, index): Layout['texts'] => {
    const middle = (index + 0.5) * across;
    const lines = below[index] ?? [];
    if (isLying) {
      const lead = isSmall ? SMALL + 2 : LINE - 1;
      const top = plot.y + middle - ((lines.length - 1) * lead) / 2;
      return lines.map((text, line) => ({
        ...{ text, x: plot.x - 8, y: top + line * lead, anchor: 'end' },
      }));
    }
    if (index % every > 0) return [];
    return (fits ? lines : whole.slice(index, index + 1)).map((text, line) => ({
      ...{ text, x: plot.x + middle, y: bottom + (line + 0.5) * LINE, anchor: 'middle' },
    }));
  });
  for (const value of ticks) {
    const text = tick(value);
    if (isLying) {
      texts.push({ text, x: plot.x + at(value), y: bottom + LINE / 2, anchor: 'middle' });
    } else texts.push({ text, x: left - 8, y: plot.y + plot.height - at(value), anchor: 'end' });
  }
  if (isLying && unit !== undefined) {
    const x = plot.x + plot.width / 2;
    texts.push({ text: unit, x, y: bottom + LINE * 1.5, anchor: 'middle' });
  }
  const legendTop = height - legendHeight;
  return {
    isSmall,
    bars,
    plot,
    texts,
    lines: ticks.map((value) =>
      isLying
        ? { x: plot.x + at(value), y: plot.y, width: 0, height: plot.height }
        : { x: plot.x, y: plot.y + plot.height - at(value), width: plot.width, height: 0 },
    ),
    legend: legend.map((one) => ({ ...one, y: legendTop + one.y })),
  };
}

/** Places the names of several series in centered lines. */
function legendOf(all: readonly Bars[], width: number, widthOf: (text: string) => number) {
  const items = all.length < 2 ? [] : all;
  const rows: { colour: ColourName; text: string; x: number; end: number }[][] = [];
  for (const { label: text = '', colour } of items) {
    const row = rows.at(-1);
    const x = (row?.at(-1)?.end ?? -LINE) + LINE;
    const length = LINE + widthOf(text);
    const item = { colour: typeof colour === 'string' ? colour : 'brand', text } as const;
    if (row !== undefined && x + length <= width) row.push({ ...item, x, end: x + length });
    else rows.push([{ ...item, x: 0, end: length }]);
  }
  return rows.flatMap((row, line) =>
    row.map(({ colour, text, x }) => ({
      ...{ colour, text, x: x + (width - (row.at(-1)?.end ?? 0)) / 2, y: line * (LINE + 4) },
    })),
  );
}

/** Returns the values that stand beside their bars, or on them, where they touch nothing else. */
function valuesOf(content: ChartContent, { bars, plot }: Layout, measure: Frame['measure']) {
  const taken: Place[] = [...bars];
  return bars.flatMap((bar) => {
    const texts = bar.isLong ? [bar.value, ...(bar.short === undefined ? [] : [bar.short])] : [];
    for (const text of texts) {
      const width = measure(text, VALUE);
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
      return [{ text, x, y, class: spot === bar ? `on ${bar.colour}` : '' }];
    }
    return [];
  });
}

/** Returns the places beside a bar for a text: above an upright one, right and left of a lying one. */
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

/** Lines of a tile by role, for colors that are forced, and for paper. Other roles have none. */
const hatches = {
  good: 'M-2 2l4-4M-2 10L10-2M6 10l4-4',
  bad: 'M0 4h8M4 0v8',
  warn: 'M0 4h8',
} as const;

const rectOf = ({ x, y, width, height }: Place, style: string, fill?: string) =>
  svg`<rect class=${style} fill=${fill ?? nothing} x=${x} y=${y} width=${width} height=${height} />`;

interface Shown {
  /** Name of the chart, for its identifiers in the page. */
  id: string;
  label: string;
  /** Name of the list of bars for screen readers. */
  list: string;
  /** The bar whose value is shown, because it has the focus or is below the pointer. */
  active?: number | undefined;
}

/** Draws a chart. Each bar is a link to its records, or a text: Tab reaches one of them. */
export function chartView(content: ChartContent, frame: Frame, shown: Shown): TemplateResult {
  const { width, height, measure } = frame;
  const { id, label, list, active } = shown;
  const layout = layoutOf(content, frame);
  const { bars, lines, texts, legend } = layout;
  const filled = (colour: ColourName, place: Place) => svg`${rectOf(place, `bar ${colour}`)}
    ${colour in hatches ? rectOf(place, 'hatch', `url(#${id}-${colour})`) : nothing}`;
  return html`<svg
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
    <g aria-hidden="true" class=${layout.isSmall ? 'small' : nothing}>
      ${lines.map(
        ({ x, y, width: w, height: h }) => svg`<line x1=${x} y1=${y} x2=${x + w} y2=${y + h} />`,
      )}
      ${texts.map(
        ({ text, x, y, anchor }) => svg`<text class=${anchor} x=${x} y=${y}>${text}</text>`,
      )}
      ${legend.map(
        ({ colour, text, x, y }) => svg`${filled(colour, { x, y, width: 10, height: 10 })}
          <text class="start" x=${x + LINE} y=${y + 5}>${text}</text>`,
      )}
    </g>
    <g role="list" aria-label=${list} class="bars">
      ${bars.map((bar, index) => {
        const drawn = svg`${rectOf(bar.space, 'space')} ${filled(bar.colour, bar)}`;
        const name = `${bar.name}: ${bar.value}`;
        const tab = index === 0 ? 0 : -1;
        return svg`<g role="listitem">${
          bar.address === undefined
            ? svg`<g role="img" aria-label=${name} tabindex=${tab} data-index=${index}>${drawn}</g>`
            : svg`<a href=${bar.address} aria-label=${name} tabindex=${tab} data-index=${index}>${drawn}</a>`
        }</g>`;
      })}
    </g>
    <g aria-hidden="true" class="values">
      ${valuesOf(content, layout, measure).map(
        ({ text, x, y, class: style }) => svg`<text class=${style} x=${x} y=${y}>${text}</text>`,
      )}
      ${tipView(active === undefined ? undefined : bars[active], frame)}
    </g>
  </svg>`;
}

/** Shows name and value of a bar next to it, within the chart. */
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
