/** Roles of colors in charts. Each role differs from the others also for people who are color blind. */
export const colourNames = [
  ...(['page', 'edge', 'text', 'grid', 'brand', 'good', 'bad', 'warn', 'neutral'] as const),
];
export type ColourName = (typeof colourNames)[number];
/** How a chart looks: CSS colors, and the font of the page. */
export type Look = Readonly<Record<ColourName | 'font', string>>;

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
  tick?: (value: string | number) => string;
  /** Unit of the values. */
  unit?: string;
}
