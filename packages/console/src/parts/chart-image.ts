import { drawChart } from './bar-chart.ts';
import type { ChartContent, Look } from './chart-content.ts';

/** Pixels of the image for each CSS pixel. */
const RATIO = 2;
/** A narrower image has no room for its texts. */
const LEAST_WIDTH = 640;
const MARGIN = 24;
const LINE = 1.35;

interface Image {
  content: ChartContent;
  look: Look;
  /** Size of the chart on the page, in CSS pixels. */
  width: number;
  height: number;
  title: string;
  /** Where the data is from, and when it was read. */
  source: string;
}

/**
 * Returns a chart as PNG, at twice the size that it has on the page, with its title, scope and
 * source on an opaque background.
 */
export async function chartImage(image: Image): Promise<Blob> {
  const { content, look, title, source } = image;
  const width = Math.max(LEAST_WIDTH, image.width);
  const chart = document.createElement('canvas');
  [chart.width, chart.height] = [width, image.height];
  const drawn = drawChart(chart, { content, look, ratio: RATIO });
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The browser has no memory for the image.');
  const inner = width;
  const head = [
    ...linesOf(context, title, fontOf(look, 18, 650), inner),
    ...linesOf(context, content.scope ?? '', fontOf(look, 13, 400), inner),
  ];
  const foot = linesOf(context, source, fontOf(look, 12, 400), inner);
  const heightOf = (lines: readonly Line[]) =>
    lines.reduce((sum, { size }) => sum + size * LINE, 0);
  const chartTop = MARGIN + heightOf(head) + 12;
  const footTop = chartTop + image.height + 12;
  canvas.width = (width + 2 * MARGIN) * RATIO;
  canvas.height = (footTop + heightOf(foot) + MARGIN) * RATIO;
  context.scale(RATIO, RATIO);
  context.fillStyle = look.page;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = look.text;
  write(context, head, MARGIN);
  context.drawImage(chart, MARGIN, chartTop, width, image.height);
  write(context, foot, footTop);
  drawn.destroy();
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('The browser could not write the image.'));
      else resolve(blob);
    });
  });
}

interface Line {
  text: string;
  font: string;
  size: number;
}

const fontOf = ({ font }: Look, size: number, weight: number) => ({
  font: `${weight} ${size}px ${font}`,
  size,
});

/** Breaks a text into lines of at most a width. */
function linesOf(
  context: CanvasRenderingContext2D,
  text: string,
  { font, size }: Omit<Line, 'text'>,
  width: number,
): Line[] {
  context.font = font;
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    const longer = last === undefined ? word : `${last} ${word}`;
    if (last !== undefined && context.measureText(longer).width <= width) lines.pop();
    lines.push(last !== undefined && context.measureText(longer).width > width ? word : longer);
  }
  return lines.filter((line) => line !== '').map((line) => ({ text: line, font, size }));
}

function write(context: CanvasRenderingContext2D, lines: readonly Line[], top: number): void {
  let y = top;
  context.textBaseline = 'top';
  for (const { text, font, size } of lines) {
    context.font = font;
    context.fillText(text, MARGIN, y);
    y += size * LINE;
  }
}
