import { html } from 'lit';
import type { Chart, ChartConfiguration, ChartDataset } from 'chart.js';
import { texts } from '../locale/locale.ts';
import { saveFile } from './download.ts';
import { elementWith } from './element.ts';
import { type Column, tableView } from './table.ts';
import { plainButton } from './views.ts';

const colourNames = ['text', 'grid', 'brand', 'good', 'bad', 'warn', 'neutral'] as const;
type ColourName = (typeof colourNames)[number];
type Colours = Readonly<Record<ColourName, string>>;

/** A series of bars: for each label, a value or the start and end of the bar. */
interface Bars {
  label?: string;
  data: readonly (number | null | [from: number, to: number])[];
  /** Color of all bars, or of each bar. */
  colour: ColourName | readonly ColourName[];
}

/** Content of a bar chart and of its table, whose first column is the row header. */
export interface ChartContent {
  /** Name of the image file, without an extension. */
  name: string;
  /** One-sentence summary of the chart for screen readers. */
  summary: string;
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
  tick?: (value: string | number) => string;
  /** Unit of the values. */
  unit?: string;
  /** Formats the value of a bar that does not start at zero, for the tooltip. */
  tip?: (index: number) => string;
  onBar?: (index: number) => void;
}

/** A chart with its table and an image download. */
class ConsoleChart extends elementWith({ content: {} as ChartContent, label: '' }) {
  #chart: Chart | undefined;
  readonly #themes = new MutationObserver(() => void this.#draw());

  override connectedCallback(): void {
    super.connectedCallback();
    this.#themes.observe(document.documentElement, { attributeFilter: ['class'] });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#themes.disconnect();
    this.#chart?.destroy();
    this.#chart = undefined;
  }

  protected override updated(): void {
    void this.#draw();
  }

  async #draw(): Promise<void> {
    const { Chart } = await import('./bar-chart.ts');
    const canvas = this.querySelector('canvas');
    if (canvas === null || !this.isConnected) return;
    this.#chart?.destroy();
    const style = getComputedStyle(this);
    const colours = Object.fromEntries(
      colourNames.map((name) => [name, style.getPropertyValue(`--chart-${name}`).trim()]),
    ) as Record<ColourName, string>;
    this.#chart = new Chart(canvas, configurationOf(this.content, colours));
  }

  #savePng(): void {
    this.querySelector('canvas')?.toBlob((blob) => {
      if (blob) saveFile(`${this.content.name}.png`, blob);
    });
  }

  protected override render() {
    const { common } = texts();
    const { label, content } = this;
    const { columns, rows, summary, isLying = false, labels } = content;
    const size =
      !isLying || (labels.length > 2 && labels.length <= 6)
        ? ''
        : labels.length <= 2
          ? 'low'
          : 'tall';
    return html`<figure class="chart">
      <div class="canvas ${size}">
        <canvas role="img" aria-label="${label}. ${summary}"></canvas>
      </div>
      ${plainButton(common.downloadPng, () => this.#savePng(), { icon: 'download' })}
      <details>
        <summary>${common.table}</summary>
        ${tableView({ label, columns: columns.map(textColumn), rows })}
      </details>
    </figure>`;
  }
}

const textColumn = (head: string, index: number): Column<readonly string[]> => ({
  head,
  class: index === 0 ? '' : 'end',
  isName: index === 0,
  cell: (row) => row[index],
});

function configurationOf(content: ChartContent, colours: Colours): ChartConfiguration {
  const { labels, bars, isLying = false, isStacked = false, tick, unit } = content;
  const { tip, onBar } = content;
  const color = colours.text;
  const font = { size: isLying && innerWidth < 480 ? 10 : 12 };
  const names = { stacked: isStacked, grid: { display: false } };
  const values = {
    stacked: isStacked,
    beginAtZero: true,
    title: { display: unit !== undefined, text: unit, color },
    grid: { color: colours.grid },
    border: { display: false },
    ticks: {
      color,
      maxTicksLimit: 6,
      maxRotation: 0,
      ...(tick === undefined ? { precision: 0 } : { callback: tick }),
    },
  };
  const [x, y] = isLying
    ? [values, { ...names, ticks: { color, autoSkip: false, font } }]
    : [{ ...names, ticks: { color, maxRotation: labels.length > 7 ? 0 : 50 } }, values];
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  return {
    type: 'bar',
    data: { labels: [...labels], datasets: bars.map((one) => datasetOf(one, content, colours)) },
    options: {
      responsive: true,
      maintainAspectRatio: false,
      color,
      animation: still ? false : undefined,
      indexAxis: isLying ? 'y' : 'x',
      onClick: (_event, [element]) => element && onBar?.(element.index),
      plugins: {
        legend: {
          display: bars.length > 1,
          position: 'bottom',
          labels: { color, boxWidth: 10, boxHeight: 10 },
        },
        tooltip: { callbacks: tip && { label: ({ dataIndex }) => tip(dataIndex) } },
      },
      scales: { x, y },
    },
  };
}

function datasetOf(
  { label, data, colour }: Bars,
  { isStacked, thickness }: ChartContent,
  colours: Colours,
): ChartDataset<'bar'> {
  const isFloating = data.some((value) => Array.isArray(value));
  return {
    label,
    data: [...data] as number[],
    backgroundColor:
      typeof colour === 'string' ? colours[colour] : colour.map((name) => colours[name]),
    borderRadius: isStacked ? 2 : 3,
    maxBarThickness: thickness,
    ...(isFloating
      ? { borderSkipped: false, minBarLength: 2, categoryPercentage: 0.9, barPercentage: 0.8 }
      : {}),
  };
}

customElements.define('console-chart', ConsoleChart);
