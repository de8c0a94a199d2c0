import { html, nothing, render, svg } from 'lit';
import { currentEnvironment } from '../api/session.ts';
import { formats, texts } from '../locale/locale.ts';
import { type ChartContent, chartView, type Frame, linesOf } from './bars.ts';
import { saveFile } from './download.ts';
import { elementWith, optional } from './element.ts';
import { type Column, tableView } from './table.ts';
import { environmentText } from './values.ts';
import { plainButton } from './views.ts';

/** How far each key moves in the list of bars. */
const steps: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowDown: 1,
  ArrowLeft: -1,
  ArrowUp: -1,
  Home: -Infinity,
  End: Infinity,
};

/** Style properties that an image file has as attributes, because it has no style sheet. */
const drawn = [
  ...['fill', 'stroke', 'stroke-width', 'font-size', 'font-weight', 'text-anchor'],
  ...['dominant-baseline', 'paint-order'],
];
/** A narrower image has no room for its texts. */
const LEAST_WIDTH = 640;
const MARGIN = 24;

let charts = 0;
const measured = document.createElement('canvas').getContext('2d');

/** A chart with its table and an image download. Arrow keys move between its bars. */
class ConsoleChart extends elementWith({
  content: {} as ChartContent,
  label: '',
  size: optional<{ width: number; height: number }>(),
  active: optional<number>(),
}) {
  readonly #id = `chart-${charts++}`;
  readonly #sizes = new ResizeObserver(([entry]) => {
    // A hidden chart keeps its size, for printing.
    if (entry !== undefined && entry.contentRect.width > 0) this.size = entry.contentRect;
  });

  protected override firstUpdated(): void {
    const plot = this.querySelector('.plot');
    if (plot !== null) this.#sizes.observe(plot);
  }

  #frame(size: { width: number; height: number }): Frame {
    const { fontFamily } = getComputedStyle(this);
    const measure = (text: string, pixels: number) => {
      if (measured === null) return text.length * pixels * 0.6;
      measured.font = `${pixels}px ${fontFamily}`;
      return measured.measureText(text).width;
    };
    return { width: size.width, height: size.height, measure };
  }

  #chart(frame: Frame, id = this.#id, active = this.active) {
    const { content, label } = this;
    return chartView(content, frame, { id, label, list: texts().common.bars(label), active });
  }

  readonly #move = (event: KeyboardEvent) => {
    const step = steps[event.key];
    const all = [...this.querySelectorAll<SVGElement>('.bars [data-index]')];
    const at = all.findIndex((bar) => bar === event.target);
    if (step === undefined || at < 0) return;
    event.preventDefault();
    all[Math.max(0, Math.min(all.length - 1, at + step))]?.focus();
  };

  /** Shows a bar's value. Tab returns to the bar that has the focus. */
  readonly #point = ({ target, type }: Event) => {
    const bar = target instanceof Element ? target.closest('[data-index]') : null;
    this.active = bar === null ? undefined : Number(bar.getAttribute('data-index'));
    if (type !== 'focusin' || bar === null) return;
    for (const one of this.querySelectorAll<SVGElement>('.bars [data-index]')) {
      one.tabIndex = one === bar ? 0 : -1;
    }
  };

  readonly #leave = () => (this.active = undefined);

  /** Saves the chart with its title, scope and source, on an opaque background. */
  readonly #save = () => {
    const { content, label, size } = this;
    const frame = this.#frame({
      width: Math.max(LEAST_WIDTH, size?.width ?? 0),
      height: size?.height ?? LEAST_WIDTH / 2,
    });
    const source = [
      ...(content.asOf === undefined ? [] : [texts().common.asOf(formats().moment(content.asOf))]),
      environmentText(currentEnvironment()),
      texts().shell.product,
    ].join(' · ');
    const written = (text: string, pixels: number) =>
      linesOf(text, frame.width, (part) => frame.measure(part, pixels)).filter(Boolean);
    const head = [
      // Bold text is wider than measured.
      ...written(label, 20).map((text) => ({ text, style: 'title', height: 24 })),
      ...written(content.scope ?? '', 13).map((text) => ({ text, style: 'scope', height: 18 })),
    ];
    const foot = written(source, 12).map((text) => ({ text, style: 'source', height: 16 }));
    const heightOf = (lines: typeof head) => lines.reduce((sum, { height }) => sum + height, 0);
    const top = MARGIN + heightOf(head) + 12;
    const bottom = top + frame.height + 12;
    const textsAt = (lines: typeof head, y: number) =>
      lines.map(
        ({ text, style }, index) =>
          svg`<text class=${style} x=${MARGIN} y=${y + heightOf(lines.slice(0, index)) + 8}>${text}</text>`,
      );
    const [width, height] = [frame.width + 2 * MARGIN, bottom + heightOf(foot) + MARGIN];
    const place = document.createElement('div');
    place.className = 'sr';
    this.querySelector('figure')?.append(place);
    render(
      html`<svg viewBox="0 0 ${width} ${height}" width=${width} height=${height}>
        <rect class="page" width=${width} height=${height} />
        ${textsAt(head, MARGIN)}
        <g transform="translate(${MARGIN} ${top})">${this.#chart(frame, `${this.#id}-file`, -1)}</g>
        ${textsAt(foot, bottom)}
      </svg>`,
      place,
    );
    const image = place.querySelector('svg');
    if (image !== null) saveFile(`${content.name}.svg`, fileOf(image, getComputedStyle(this)));
    place.remove();
  };

  protected override render() {
    const { common } = texts();
    const { label, content, size } = this;
    const { columns, rows, isLying = false, labels } = content;
    const style =
      !isLying || (labels.length > 2 && labels.length <= 6)
        ? ''
        : labels.length <= 2
          ? 'low'
          : 'tall';
    return html`<figure class="chart">
      <div
        class="plot ${style}"
        @keydown=${this.#move}
        @focusin=${this.#point}
        @focusout=${this.#leave}
        @pointerover=${this.#point}
        @pointerleave=${this.#leave}
      >
        ${size === undefined ? nothing : this.#chart(this.#frame(size))}
      </div>
      ${plainButton(common.downloadImage, this.#save, { icon: 'download' })}
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

/**
 * Returns an image as a file that looks as it does on the page but contains none of the page's
 * links.
 */
function fileOf(image: SVGSVGElement, { fontFamily }: CSSStyleDeclaration): Blob {
  const elements = [...image.querySelectorAll<SVGElement>('*')];
  for (const element of elements) {
    const style = getComputedStyle(element);
    if (style.display === 'none' && element.localName === 'rect') element.remove();
    for (const name of drawn) element.setAttribute(name, style.getPropertyValue(name));
  }
  // An element's style depends on the classes of its ancestors.
  for (const element of elements) {
    for (const name of ['class', 'href', 'tabindex', 'data-index']) element.removeAttribute(name);
  }
  image.setAttribute('font-family', fontFamily);
  const text = new XMLSerializer().serializeToString(image).replaceAll(/<!--.*?-->/gs, '');
  return new Blob([text], { type: 'image/svg+xml' });
}

customElements.define('console-chart', ConsoleChart);
