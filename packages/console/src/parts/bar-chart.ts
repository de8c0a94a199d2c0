import {
  type ActiveElement,
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  type ChartConfiguration,
  type ChartDataset,
  Legend,
  LinearScale,
  type Plugin,
  Tooltip,
} from 'chart.js';
import type { Bars, ChartContent, Look } from './chart-content.ts';
import { fillFor, hasForcedColours } from './hatching.ts';
import { navigate } from './navigation.ts';

// Only what a bar chart needs: a build leaves out everything else of the library.
Chart.register(BarController, BarElement, CategoryScale, LinearScale, Legend, Tooltip);

export type { Chart };

interface Drawing {
  content: ChartContent;
  look: Look;
  /** Called after each drawing, when the places of the bars are known. */
  onDrawn?: (chart: Chart) => void;
  /** Pixels of the image for each CSS pixel, of an image that does not follow its container. */
  ratio?: number;
}

/** The place of a bar in its canvas, in CSS pixels. */
interface Place {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Draws a chart at once: a bar that grows could be read against an axis that is complete. */
export function drawChart(canvas: HTMLCanvasElement, drawing: Drawing): Chart {
  return new Chart(canvas, configurationOf(drawing));
}

/** Returns the place of a bar; undefined if its series is hidden or it has no value. */
export function placeOf(chart: Chart, series: number, index: number): Place | undefined {
  const bar = chart.getDatasetMeta(series).data[index];
  if (!chart.isDatasetVisible(series) || !(bar instanceof BarElement)) return undefined;
  const names = ['x', 'y', 'base', 'width', 'height'] as const;
  const { x, y, base, width, height } = bar.getProps([...names], true);
  if (x === null || y === null || ![x, y, base].every(Number.isFinite)) return undefined;
  return chart.options.indexAxis === 'y'
    ? { left: Math.min(x, base), top: y - height / 2, width: Math.abs(x - base), height }
    : { left: x - width / 2, top: Math.min(y, base), width, height: Math.abs(y - base) };
}

/** Narrower windows are phones. */
const NARROW_PX = 480;

function configurationOf({ content, look, onDrawn, ratio }: Drawing): ChartConfiguration<'bar'> {
  const { labels, bars, isLying = false, isStacked = false, tick, unit } = content;
  const color = look.text;
  const font = { size: isLying && innerWidth < NARROW_PX ? 10 : 12, family: look.font };
  const names = { stacked: isStacked, grid: { display: false } };
  const values = {
    stacked: isStacked,
    beginAtZero: true,
    // Room for the value of the longest bar.
    grace: isStacked ? 0 : '12%',
    title: { display: unit !== undefined, text: unit, color },
    grid: { color: look.grid },
    border: { display: false },
    ticks: {
      color,
      font: { family: look.font },
      maxTicksLimit: 6,
      autoSkipPadding: 12,
      maxRotation: 0,
      ...(tick === undefined ? { precision: 0 } : { callback: tick }),
    },
  };
  const [x, y] = isLying
    ? [values, { ...names, ticks: { color, autoSkip: false, font } }]
    : [{ ...names, ticks: { color, font, maxRotation: labels.length > 7 ? 0 : 50 } }, values];
  return {
    type: 'bar',
    data: {
      labels: shownLabels(content),
      datasets: bars.map((one) => datasetOf(one, content, look)),
    },
    plugins: [
      valuesOnBars(content, look),
      { id: 'drawn', afterRender: (chart) => onDrawn?.(chart) },
    ],
    options: {
      responsive: ratio === undefined,
      devicePixelRatio: ratio,
      maintainAspectRatio: false,
      color,
      animation: false,
      indexAxis: isLying ? 'y' : 'x',
      onClick: (_event, [bar]) => {
        const address = addressAt(bars, bar);
        if (address !== undefined) navigate(address);
      },
      onHover: (_event, [bar], { canvas }) => {
        canvas.style.cursor = addressAt(bars, bar) === undefined ? '' : 'pointer';
      },
      plugins: {
        legend: {
          display: bars.length > 1,
          position: 'bottom',
          labels: { color, font: { family: look.font }, boxWidth: 10, boxHeight: 10 },
        },
        tooltip: {
          callbacks: {
            label: ({ datasetIndex, dataIndex }) => {
              const { label, values: own } = bars[datasetIndex] ?? {};
              return [label, own?.[dataIndex]].filter((text) => text !== undefined).join(': ');
            },
          },
        },
      },
      scales: { x, y },
    },
  };
}

/** Characters of a line of a label beside a lying bar. */
const labelLength = () => (innerWidth < NARROW_PX ? 20 : 24);

function shownLabels({ labels, isLying = false }: ChartContent): (string | string[])[] {
  if (!isLying) return [...labels];
  const most = labelLength();
  return labels.map((label) => {
    if (typeof label !== 'string' || label.length <= most) return label;
    const lines: string[] = [];
    for (const word of label.split(' ')) {
      const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
      if (longer.length <= most && lines.length > 0) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines;
  });
}

/** Returns the address of the records behind a bar, if it has one. */
function addressAt(bars: readonly Bars[], bar: ActiveElement | undefined): string | undefined {
  return bar && bars[bar.datasetIndex]?.addresses?.[bar.index];
}

function datasetOf(
  { label, data, colour }: Bars,
  { isStacked, thickness }: ChartContent,
  look: Look,
): ChartDataset<'bar'> {
  const isFloating = data.some((value) => Array.isArray(value));
  return {
    label,
    data: [...data] as number[],
    backgroundColor:
      typeof colour === 'string'
        ? fillFor(colour, look)
        : colour.map((name) => fillFor(name, look)),
    borderColor: look.edge,
    // A border of the page's color would cover a thin bar.
    borderWidth: isStacked || hasForcedColours(look) ? 1 : 0,
    borderRadius: isStacked ? 2 : 3,
    maxBarThickness: thickness,
    ...(isFloating
      ? { borderSkipped: false, minBarLength: 2, categoryPercentage: 0.9, barPercentage: 0.8 }
      : {}),
  };
}

const TEXT_PX = 11;
const GAP_PX = 5;

/** Writes the value of each bar beside it, or on it, where the text touches nothing else. */
function valuesOnBars({ bars, isLying, isStacked, tick }: ChartContent, look: Look): Plugin<'bar'> {
  return {
    id: 'values',
    afterDatasetsDraw: (chart) => {
      const { ctx, chartArea } = chart;
      const all = bars.flatMap(({ data, values }, series) =>
        data.flatMap((value, index) => {
          const place = placeOf(chart, series, index);
          // A bar without a length has no value to read.
          if (place === undefined || value === null || value === 0) return [];
          const exact = values[index] ?? '';
          const texts = tick && typeof value === 'number' ? [exact, tick(value)] : [exact];
          return [{ place, texts, fill: fillOf(chart, series, index) }];
        }),
      );
      const taken = all.map(({ place }) => place);
      const isFree = (own: Place, text: Place) =>
        text.left >= chartArea.left &&
        text.left + text.width <= chartArea.right &&
        text.top >= chartArea.top &&
        taken.every((other) => other === own || !overlap(other, text));
      ctx.save();
      ctx.font = `${TEXT_PX}px ${look.font}`;
      ctx.textBaseline = 'middle';
      ctx.textAlign = 'center';
      for (const { place, texts, fill } of all) {
        const spots = texts.flatMap((text) => {
          const width = ctx.measureText(text).width;
          const outside = isStacked ? [] : besides(place, width, isLying === true);
          const free = outside.filter((spot) => isFree(place, spot));
          const isWithin = place.width >= width + 2 * GAP_PX && place.height >= TEXT_PX + 2;
          return [...free, ...(isWithin ? [place] : [])].map((spot) => ({ text, spot }));
        });
        const [found] = spots;
        if (found === undefined) continue;
        const { text, spot } = found;
        if (spot !== place) taken.push(spot);
        if (spot === place && fill instanceof CanvasPattern) {
          // Hatching would cross the text.
          const width = ctx.measureText(text).width + GAP_PX;
          const [left, top] = [spot.left + (spot.width - width) / 2, spot.top + spot.height / 2];
          ctx.fillStyle = look.page;
          ctx.fillRect(left, top - TEXT_PX / 2 - 1, width, TEXT_PX + 2);
        }
        ctx.fillStyle =
          spot === place && typeof fill === 'string' ? readableOn(ctx, fill) : look.text;
        ctx.fillText(text, spot.left + spot.width / 2, spot.top + spot.height / 2);
      }
      ctx.restore();
    },
  };
}

/** Returns the places beside a bar for a text: above an upright one, right and left of a lying one. */
function besides({ left, top, width, height }: Place, length: number, isLying: boolean): Place[] {
  const size = { width: length, height: TEXT_PX };
  if (!isLying) return [{ ...size, left: left + (width - length) / 2, top: top - TEXT_PX - 3 }];
  if (height < TEXT_PX) return [];
  const middle = top + (height - TEXT_PX) / 2;
  return [
    { ...size, left: left + width + GAP_PX, top: middle },
    { ...size, left: left - GAP_PX - length, top: middle },
  ];
}

function overlap(one: Place, other: Place): boolean {
  return (
    one.left < other.left + other.width &&
    other.left < one.left + one.width &&
    one.top < other.top + other.height &&
    other.top < one.top + one.height
  );
}

function fillOf(chart: Chart<'bar'>, series: number, index: number): string | CanvasPattern {
  const fill: unknown = chart.data.datasets[series]?.backgroundColor;
  const own: unknown = Array.isArray(fill) ? fill[index] : fill;
  return own instanceof CanvasPattern ? own : String(own);
}

/** Returns black or white, whichever is easier to read on a color. */
function readableOn(ctx: CanvasRenderingContext2D, colour: string): string {
  ctx.fillStyle = colour;
  // A canvas returns an opaque color as #rrggbb, also for a name.
  const name = typeof ctx.fillStyle === 'string' ? ctx.fillStyle : '';
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    Number.parseInt(name.slice(at, at + 2), 16),
  );
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? '#000000' : '#ffffff';
}
