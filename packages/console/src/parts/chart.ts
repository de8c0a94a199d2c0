import { LitElement, html } from 'lit';
import type { Chart, ChartConfiguration } from 'chart.js';
import { texts } from '../locale/locale.ts';
import { saveFile } from './download.ts';

/** What a chart shows, also as a table: the first column names the row. */
export interface ChartContent {
  /** Name of the picture's file, without an extension. */
  name: string;
  /** What the chart shows, in one sentence for screen readers. */
  summary: string;
  columns: readonly string[];
  /** Texts as a person reads them. */
  rows: readonly (readonly string[])[];
  /** Returns the configuration; colours come from the theme. */
  configuration: (colours: Colours) => ChartConfiguration;
}

export interface Colours {
  text: string;
  grid: string;
  brand: string;
  good: string;
  bad: string;
  warn: string;
  neutral: string;
}

/** A chart with its table, and the picture as a file. */
class ConsoleChart extends LitElement {
  static override properties = { content: { attribute: false }, label: { type: String } };
  declare content: ChartContent;
  declare label: string;
  #chart: Chart | undefined;
  readonly #themes = new MutationObserver(() => void this.#draw());

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

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
    const { Chart, registerables } = await import('chart.js');
    Chart.register(...registerables);
    const canvas = this.querySelector('canvas');
    if (canvas === null || !this.isConnected) return;
    this.#chart?.destroy();
    const colours = coloursOf(this);
    const configuration = this.content.configuration(colours);
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    configuration.options = {
      responsive: true,
      maintainAspectRatio: false,
      color: colours.text,
      ...(still ? { animation: false as const } : {}),
      ...configuration.options,
    };
    this.#chart = new Chart(canvas, configuration);
  }

  #savePng(): void {
    this.querySelector('canvas')?.toBlob((blob) => {
      if (blob) saveFile(`${this.content.name}.png`, blob);
    });
  }

  protected override render() {
    const { common } = texts();
    const { columns, rows, summary } = this.content;
    return html`<figure class="chart">
      <div class="canvas"><canvas role="img" aria-label="${this.label}. ${summary}"></canvas></div>
      <div class="chart-tools">
        <button class="plain" @click=${() => this.#savePng()}>
          <wa-icon name="download"></wa-icon> ${common.downloadPng}
        </button>
      </div>
      <details>
        <summary>${common.table}</summary>
        <div class="scroll-x" tabindex="0" role="region" aria-label=${this.label}>
          <table>
            <caption class="sr">
              ${this.label}
            </caption>
            <thead>
              <tr>
                ${columns.map((head, index) => html`<th scope="col" class=${index > 0 ? 'end' : ''}>${head}</th>`)}
              </tr>
            </thead>
            <tbody>
              ${rows.map(
                (row) =>
                  html`<tr>
                    ${row.map((cell, index) =>
                      index === 0
                        ? html`<th scope="row">${cell}</th>`
                        : html`<td class="end">${cell}</td>`,
                    )}
                  </tr>`,
              )}
            </tbody>
          </table>
        </div>
      </details>
    </figure>`;
  }
}

function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(`--chart-${name}`).trim();
  return {
    text: colour('text'),
    grid: colour('grid'),
    brand: colour('brand'),
    good: colour('good'),
    bad: colour('bad'),
    warn: colour('warn'),
    neutral: colour('neutral'),
  };
}

customElements.define('console-chart', ConsoleChart);
