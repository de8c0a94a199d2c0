/** The stream for a progress bar: standard error, if it is a terminal. */
export interface Screen {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  write: (text: string) => unknown;
}

export interface Progress {
  /** Number of completed days, out of `planned`. */
  done: number;
  planned: number;
  records: number;
  /** Seconds since the start. */
  seconds: number;
}

const BAR = 24;
const WIDTH = 80;

/** "12/90 days  123,456 records  41,000/s  about 7 s left". */
export function progressText({ done, planned, records, seconds }: Progress): string {
  const parts = [`${done}/${planned} days`, `${grouped(records)} records`];
  if (records >= seconds && seconds > 0) parts.push(`${grouped(Math.round(records / seconds))}/s`);
  if (seconds > 0 && done > 0 && done < planned) {
    parts.push(`about ${duration((seconds / done) * (planned - done))} left`);
  }
  return parts.join('  ');
}

/** Shows progress: redraws one line in a terminal, and prints separate lines elsewhere. */
export class ProgressBar {
  readonly #screen: Screen;
  readonly #say: (line: string) => void;
  #drawn = false;
  #tenth = -1;

  constructor(screen: Screen, say: (line: string) => void) {
    this.#screen = screen;
    this.#say = say;
  }

  show(progress: Progress): void {
    const share = progress.planned === 0 ? 1 : Math.min(1, progress.done / progress.planned);
    if (this.#screen.isTTY !== true) {
      // A log gets one line per tenth of the work.
      const tenth = Math.floor(share * 10);
      if (tenth === this.#tenth) return;
      this.#tenth = tenth;
      this.#say(progressText(progress));
      return;
    }
    const full = Math.round(share * BAR);
    const bar = '█'.repeat(full) + '░'.repeat(BAR - full);
    const line = `${bar} ${progressText(progress)}`;
    this.#screen.write(`\r\u001b[K${line.slice(0, (this.#screen.columns ?? WIDTH) - 1)}`);
    this.#drawn = true;
  }

  /** Leaves the last line on the screen. */
  end(): void {
    if (this.#drawn) this.#screen.write('\n');
    this.#drawn = false;
  }
}

function grouped(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}
