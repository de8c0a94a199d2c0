import type { Command } from 'commander';
import { ConfigurationError } from '../env/reader.ts';
import type { VariableTable } from '../env/variable.ts';
import { addCommand } from './command.ts';
import { CommandFailure, exitCodes } from './exit.ts';
import { shared } from './options.ts';
import type { Shell } from './shell.ts';

/** The result of one check. */
export interface Finding {
  /** "configuration", "files", "certificate", … */
  subject: string;
  /** `warning`: works, but should be fixed. `failed`: the program cannot work. */
  status: 'ok' | 'warning' | 'failed';
  message: string;
  /** How to fix the problem. */
  advice?: string;
}

export function ok(subject: string, message: string): Finding {
  return { subject, status: 'ok', message };
}

export function warning(subject: string, message: string, advice: string): Finding {
  return { subject, status: 'warning', message, advice };
}

export function failed(subject: string, message: string, advice?: string): Finding {
  return { subject, status: 'failed', message, advice };
}

/**
 * Returns findings for variable names that look misspelled. Used by `doctor` and the startup log.
 */
export function misspelled(names: readonly string[]): Finding[] {
  return names.map((name) =>
    warning('configuration', `${name} is not a variable of this program`, 'Is it spelled right?'),
  );
}

/**
 * Adds `doctor`, which checks an installation and changes nothing.
 * @param variables the program's variables, whose descriptions serve as advice for an invalid value
 * @param examine may throw a {@link ConfigurationError}, whose problems become findings
 */
export function addDoctor(
  program: Command,
  shell: Shell,
  texts: { description: string; help: string },
  variables: VariableTable,
  examine: () => Promise<Finding[]>,
): void {
  const codes =
    'Exit codes: 0 no problem (there may be warnings), 1 a problem, 78 the configuration is incomplete.';
  const definition = {
    usage: 'doctor',
    description: texts.description,
    options: { json: shared.json('{ok, findings}') },
    help: `${texts.help}\n\n${codes}`,
  };
  addCommand(program, definition, async ({ json }) => {
    let findings: Finding[];
    let wrong: number = exitCodes.failed;
    try {
      findings = await examine();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      wrong = exitCodes.configuration;
      findings = error.problems.map(({ variable, message }) => {
        const meaning = variables[variable.replace(/_FILE$/, '')]?.text;
        const advice = meaning === undefined ? undefined : `Meaning: ${meaning}.`;
        return failed('configuration', `${variable} ${message}`, advice);
      });
    }
    const isWell = findings.every(({ status }) => status !== 'failed');
    if (json) shell.print(JSON.stringify({ ok: isWell, findings }));
    else for (const line of findings.flatMap(linesOf)) shell.print(line);
    if (!isWell) throw new CommandFailure('', wrong);
  });
}

function linesOf({ status, subject, message, advice }: Finding): string[] {
  const line = `${status.padEnd(8)} ${subject.padEnd(14)} ${message}`;
  return advice === undefined ? [line] : [line, `${' '.repeat(24)}${advice}`];
}
