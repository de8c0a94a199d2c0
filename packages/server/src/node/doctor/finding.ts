/** The result of one check. */
export interface Finding {
  /** "configuration", "files", "certificate", … */
  subject: string;
  /** `warning`: it works, but should be fixed. `failed`: the companion cannot work. */
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
