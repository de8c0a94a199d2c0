import { html } from 'lit';
import { currentEnvironment } from '../api/session.ts';
import { formats, texts } from '../locale/locale.ts';
import type { Chart } from './bar-chart.ts';
import { type Bars, type ChartContent, colourNames, type Look } from './chart-content.ts';
import { saveFile } from './download.ts';
import { elementWith } from './element.ts';
import { type Column, tableView } from './table.ts';
import { environmentText } from './values.ts';
import { plainButton } from './views.ts';

/** Distance in the list of bars by key. */
const steps: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
  Home: -Infinity,
  End: Infinity,
};

/** Media features that change the colors, apart from the chosen theme. */
const forcedColours = matchMedia('(forced-colors: active)');

/**
 * A chart with its table and an image download. Each bar is also a link to its records, or a text,
 * in a list over the chart: arrow keys move between them, Enter opens the records.
 */
class ConsoleChart extends elementWith({ content: {} as ChartContent, label: '' }) {
  #chart: Chart | undefined;
  readonly #themes = new MutationObserver(() => void this.#draw());
  readonly #redraw = () => void this.#draw();

  override connectedCallback(): void {
    super.connectedCallback();
    this.#themes.observe(document.documentElement, { attributeFilter: ['class'] });
    forcedColours.addEventListener('change', this.#redraw);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#themes.disconnect();
    forcedColours.removeEventListener('change', this.#redraw);
    this.#chart?.destroy();
    this.#chart = undefined;
  }

  protected override updated(): void {
    void this.#draw();
  }

  #look(): Look {
    const style = getComputedStyle(this);
    const colours = Object.fromEntries(
      colourNames.map((name) => [name, style.getPropertyValue(`--chart-${name}`).trim()]),
    ) as Omit<Look, 'font'>;
    return { ...colours, font: style.fontFamily };
  }

  async #draw(): Promise<void> {
    const { drawChart, placeOf } = await import('./bar-chart.ts');
    const canvas = this.querySelector('canvas');
    if (canvas === null || !this.isConnected) return;
    this.#chart?.destroy();
    // The page's CSP forbids style attributes.
    const onDrawn = (chart: Chart) => {
      for (const bar of this.#items()) {
        const place = placeOf(chart, Number(bar.dataset.series), Number(bar.dataset.index));
        bar.hidden = place === undefined;
        if (place === undefined) continue;
        for (const side of ['left', 'top', 'width', 'height'] as const) {
          bar.style[side] = `${place[side]}px`;
        }
      }
    };
    this.#chart = drawChart(canvas, { content: this.content, look: this.#look(), onDrawn });
  }

  #items(): HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>('.bars [data-index]')];
  }

  readonly #move = (event: KeyboardEvent) => {
    const step = steps[event.key];
    const shown = this.#items().filter(({ hidden }) => !hidden);
    const at = shown.findIndex((bar) => bar === event.target);
    if (step === undefined || at < 0) return;
    event.preventDefault();
    shown[Math.max(0, Math.min(shown.length - 1, at + step))]?.focus();
  };

  /** Makes the bar with the focus the one that Tab returns to, and shows its value. */
  readonly #focused = ({ target }: FocusEvent) => {
    for (const bar of this.#items()) bar.tabIndex = bar === target ? 0 : -1;
    if (!(target instanceof HTMLElement) || !this.#chart) return;
    const { series, index } = target.dataset;
    const bar = { datasetIndex: Number(series), index: Number(index) };
    this.#chart.tooltip?.setActiveElements([bar], { x: 0, y: 0 });
    this.#chart.update();
  };

  readonly #left = () => {
    this.#chart?.tooltip?.setActiveElements([], { x: 0, y: 0 });
    this.#chart?.update();
  };

  async #savePng(): Promise<void> {
    const { chartImage } = await import('./chart-image.ts');
    const { content, label } = this;
    const width = this.querySelector('canvas')?.clientWidth ?? 0;
    const height = this.querySelector('canvas')?.clientHeight ?? 0;
    const source = [
      ...(content.asOf === undefined ? [] : [texts().common.asOf(formats().moment(content.asOf))]),
      environmentText(currentEnvironment()),
      texts().shell.product,
    ].join(' · ');
    const image = { content, look: this.#look(), width, height, title: label, source };
    saveFile(`${content.name}.png`, await chartImage(image));
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
        <ul
          class="bars"
          aria-label=${common.bars(label)}
          @keydown=${this.#move}
          @focusin=${this.#focused}
          @focusout=${this.#left}
        >
          ${barsOf(content).map((bar, place) => this.#barView(bar, place === 0))}
        </ul>
      </div>
      ${plainButton(common.downloadPng, () => void this.#savePng(), { icon: 'download' })}
      <details>
        <summary>${common.table}</summary>
        ${tableView({ label, columns: columns.map(textColumn), rows })}
      </details>
    </figure>`;
  }

  #barView({ name, index, bars, series }: Bar, isFirst: boolean) {
    const text = [name, bars.label].flat().filter(Boolean).join(', ');
    const label = `${text}: ${bars.values[index] ?? ''}`;
    const address = bars.addresses?.[index];
    const order = isFirst ? 0 : -1;
    return address === undefined
      ? html`<li>
          <span
            role="img"
            aria-label=${label}
            tabindex=${order}
            data-series=${series}
            data-index=${index}
          ></span>
        </li>`
      : html`<li>
          <a
            href=${address}
            aria-label=${label}
            tabindex=${order}
            data-series=${series}
            data-index=${index}
          ></a>
        </li>`;
  }
}

interface Bar {
  name: string | string[];
  index: number;
  bars: Bars;
  series: number;
}

/** Returns the bars of a chart. A part of a stack without a length is none. */
function barsOf({ bars: all, isStacked, labels }: ChartContent): Bar[] {
  return labels
    .flatMap((name, index) => all.map((bars, series) => ({ name, index, bars, series })))
    .filter(({ bars, index }) => isStacked !== true || bars.data[index] !== 0);
}

const textColumn = (head: string, index: number): Column<readonly string[]> => ({
  head,
  class: index === 0 ? '' : 'end',
  isName: index === 0,
  cell: (row) => row[index],
});

customElements.define('console-chart', ConsoleChart);
