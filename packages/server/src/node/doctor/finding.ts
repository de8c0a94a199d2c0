/** One thing that was looked at. */
export interface Finding {
  /** What it is about: "configuration", "files", "certificate", … */
  subject: string;
  /** `warning`: it works, and should not stay so. `failed`: the companion cannot do its work. */
  status: 'ok' | 'warning' | 'failed';
  message: string;
  /** What to do. */
  advice?: string;
}

export function ok(subject: string, message: string): Finding {
  return { subject, status: 'ok', message };
}

export function warning(subject: string, message: string, advice: string): Finding {
  return { subject, status: 'warning', message, advice };
}

export function failed(subject: string, message: string, advice: string): Finding {
  return { subject, status: 'failed', message, advice };
}
