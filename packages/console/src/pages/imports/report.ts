import { html, nothing, type TemplateResult } from 'lit';
import type { LedgerImportRecord } from '@financing-checkout/contract';
import { formats, texts } from '../../locale/locale.ts';
import { paths } from '../../parts/navigation.ts';
import { amountView } from '../../parts/values.ts';
import type { Column } from '../../parts/table.ts';
import '../../parts/table.ts';
import type { Draft } from './draft.ts';
import type { Choices } from './options.ts';

type ImportError = LedgerImportRecord['errors'][number];
type Difference = NonNullable<LedgerImportRecord['difference']>['list'][number];
type LookAlike = LedgerImportRecord['lookAlikes'][number];

/** Shows what an import would do, with each error and its lines. */
export function reportView(draft: Draft, report: LedgerImportRecord): TemplateResult {
  return html`${headView(draft, report)} ${extraRowsView(draft, report)}
  ${differenceView(draft, report)} ${lookAlikesView(draft, report)} ${errorsView(report)}
  ${totalsView(report)} ${asidesView(draft, report)}`;
}

function headView(draft: Draft, report: LedgerImportRecord) {
  const { imports } = texts();
  const isClean = report.errorCount === 0;
  const { added, replaced, lookAlikeCount, errors, extraRows, difference } = report;
  const isChoice = !isClean && errors.every(isQuestion);
  const questions =
    extraRows.length > 0
      ? imports.extraRows(countOf(extraRows))
      : difference !== undefined && draft.choices.correction === ''
        ? imports.difference(difference.added + difference.changed + difference.removed)
        : imports.lookAlikes(lookAlikeCount);
  return html`<section class="card">
    <div class="row spread">
      <h2 class=${isClean ? 'good' : 'problem'}>
        <wa-icon name=${isClean ? 'circle-check' : 'circle-alert'}></wa-icon>
        ${isClean ? imports.clean : isChoice ? questions : imports.errors(report.errorCount)}
      </h2>
      <div class="row">
        <wa-button appearance="outlined" @click=${() => draft.assign()}
          >${imports.change}</wa-button
        >
        ${
          isClean && added + replaced > 0
            ? html`<wa-button
                variant="brand"
                ?disabled=${draft.work !== undefined}
                ?loading=${draft.work === 'importing'}
                @click=${() => void draft.import()}
                >${imports.importLines(added)}</wa-button
              >`
            : nothing
        }
      </div>
    </div>
    ${isClean || isChoice ? nothing : html`<p>${imports.errorsHelp}</p>`}
    ${isClean && added + replaced === 0 ? html`<p>${imports.nothingNew}</p>` : nothing}
    ${figuresView(report)}
  </section>`;
}

/** Shows the counts of lines. */
export function figuresView(report: LedgerImportRecord): TemplateResult {
  const { imports } = texts();
  const shown = (['lines', 'added', 'repeated', 'replaced', 'skipped'] as const).filter(
    (name) => report[name] > 0 || name === 'lines' || name === 'added',
  );
  return html`<dl class="figures">
    ${shown.map(
      (name) =>
        html`<div>
          <dt>${imports.figures[name]}</dt>
          <dd>${formats().number(report[name])}</dd>
        </div>`,
    )}
  </dl>`;
}

function errorsView({ errors, errorCount }: LedgerImportRecord) {
  const { imports } = texts();
  // Questions have their own places.
  const listed = errors.filter((error) => !isQuestion(error));
  if (listed.length === 0) return nothing;
  const columns: Column<ImportError>[] = [
    {
      head: imports.line,
      align: 'end',
      cell: ({ line, lines, count }) => {
        if (line === undefined) return imports.wholeFile;
        if (count === 1) return formats().number(line);
        return html`${imports.lines(count)} ${where(lines, count)}`;
      },
    },
    { head: imports.field, cell: ({ field }) => fieldText(field) },
    { head: imports.problem, class: 'wide', cell: ({ message }) => message },
  ];
  return html`<section class="card report-errors">
    <h2>${imports.errors(errorCount)}</h2>
    ${
      errorCount > countOf(errors)
        ? html`<p class="quiet">${imports.firstErrors(countOf(errors))}</p>`
        : nothing
    }
    <console-table
      .label=${imports.errors(errorCount)}
      .columns=${columns}
      .rows=${listed}
    ></console-table>
  </section>`;
}

function fieldText(field: string | undefined): string {
  if (field === undefined) return '';
  return (texts().imports.fields as Record<string, string>)[field] ?? field;
}

/** Returns whether a choice on this page answers an error. */
function isQuestion({ code }: ImportError): boolean {
  return ['look-alikes', 'extra-rows', 'correction'].includes(code);
}

function countOf(rows: readonly { count: number }[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

function extraRowsView(draft: Draft, { extraRows, leftOut }: LedgerImportRecord) {
  const { imports } = texts();
  const left = leftOut.filter(({ reason }) => ['head', 'total', 'label'].includes(reason));
  const rows = [...extraRows, ...left];
  if (rows.length === 0 && draft.choices.extraRows === '') return nothing;
  const choice = (name: 'skip' | 'keep') =>
    html`<label class="check">
      <input
        type="radio"
        name="extra-rows"
        ?disabled=${draft.work !== undefined}
        .checked=${draft.choices.extraRows === name}
        @change=${() => {
          draft.choices = { ...draft.choices, extraRows: name };
          void draft.check();
        }}
      />
      <span class="choice-text">${imports.extraRowChoices[name]}</span>
    </label>`;
  return html`<section class="card">
    ${
      rows.length === 0
        ? nothing
        : html`<h2>${imports.extraRows(countOf(rows))}</h2>
            <ul>
              ${rows.map((row) => rowsItem(row))}
            </ul>`
    }
    <fieldset class="choice">
      <legend>${imports.extraRowsHelp}</legend>
      ${choice('skip')} ${choice('keep')}
    </fieldset>
  </section>`;
}

function where(lines: readonly number[], count: number) {
  const { imports } = texts();
  return html`<span class="quiet"
    >${imports.atLines(lines.join(', '), count > lines.length)}</span
  >`;
}

/** Says how many rows are left out, why and where. */
function rowsItem({ reason, word, count, lines }: LedgerImportRecord['leftOut'][number]) {
  const { imports } = texts();
  const reasons: Record<string, string> = imports.leftOutReasons;
  const field = /^without-(.+)$/.exec(reason)?.[1];
  const text =
    reasons[reason] ?? (field === undefined ? reason : imports.leftOutWithout(fieldText(field)));
  return html`<li>
    ${imports.lines(count)}: ${text} ${word === undefined ? nothing : html`<q>${word}</q>`}
    ${where(lines, count)}
  </li>`;
}

function differenceView(draft: Draft, { difference }: LedgerImportRecord) {
  if (difference === undefined) return nothing;
  const { imports } = texts();
  const { added, changed, from, list, removed, source, to } = difference;
  const amountOf = (amount: number | undefined, currency: string) =>
    amount === undefined ? '' : amountView(amount, currency);
  const columns: Column<Difference>[] = [
    { head: texts().common.reason, cell: ({ kind }) => imports.differenceKinds[kind] },
    {
      head: texts().common.order,
      cell: ({ merchantOrderId }) =>
        html`<a class="id" href=${paths.order(`order:${merchantOrderId}`)}>${merchantOrderId}</a>`,
    },
    {
      head: imports.amountInLedger,
      align: 'end',
      cell: ({ amountInBooks, currency }) => amountOf(amountInBooks, currency),
    },
    {
      head: imports.amountInFile,
      align: 'end',
      cell: ({ amount, currency }) => amountOf(amount, currency),
    },
  ];
  const choice = (name: 'replace' | 'add') =>
    html`<label class="check">
      <input
        type="radio"
        name="correction"
        ?disabled=${draft.work !== undefined}
        .checked=${draft.choices.correction === name}
        @change=${() => {
          draft.choices = { ...draft.choices, correction: name };
          void draft.check();
        }}
      />
      <span class="choice-text">${imports.correctionChoices[name]}</span>
    </label>`;
  const listed = added + changed + removed;
  return html`<section class="card">
    <h2>${imports.difference(listed)}</h2>
    <p>${imports.differenceFrom(source, from, to)}</p>
    <fieldset class="choice">
      <legend>${imports.differenceHelp}</legend>
      ${choice('replace')} ${choice('add')}
    </fieldset>
    ${
      listed > list.length
        ? html`<p class="quiet">${imports.firstErrors(list.length)}</p>`
        : nothing
    }
    <console-table
      .label=${imports.difference(listed)}
      .columns=${columns}
      .rows=${list}
    ></console-table>
  </section>`;
}

function lookAlikesView(draft: Draft, { lookAlikes, lookAlikeCount }: LedgerImportRecord) {
  if (lookAlikeCount === 0) return nothing;
  const { imports } = texts();
  const columns: Column<LookAlike>[] = [
    { head: imports.line, align: 'end', cell: ({ line }) => formats().number(line) },
    {
      head: texts().common.order,
      cell: ({ merchantOrderId }) =>
        html`<a class="id" href=${paths.order(`order:${merchantOrderId}`)}>${merchantOrderId}</a>`,
    },
    {
      head: imports.amountInFile,
      align: 'end',
      cell: ({ amount, currency }) => amountView(amount, currency),
    },
    {
      head: imports.amountInLedger,
      align: 'end',
      cell: ({ amountInBooks, currency }) => amountView(amountInBooks, currency),
    },
    {
      head: imports.inLedgerSince,
      class: 'minor',
      cell: ({ dateInBooks }) => formats().day(new Date(dateInBooks).toISOString()),
    },
    {
      head: texts().common.reason,
      class: 'minor',
      cell: ({ kind }) => imports.lookAlikeKinds[kind],
    },
  ];
  const choice = (name: Choices['lookAlikes'] & ('replace' | 'keepBoth')) =>
    html`<label class="check">
      <input
        type="radio"
        name="look-alikes"
        ?disabled=${draft.work !== undefined}
        .checked=${draft.choices.lookAlikes === name}
        @change=${() => {
          draft.choices = { ...draft.choices, lookAlikes: name };
          void draft.check();
        }}
      />
      <span class="choice-text"
        >${imports[name]}<small class="quiet">${imports[`${name}Help`]}</small></span
      >
    </label>`;
  return html`<section class="card">
    <fieldset class="choice">
      <legend>${imports.lookAlikesHelp}</legend>
      ${choice('replace')} ${choice('keepBoth')}
    </fieldset>
    ${
      lookAlikeCount > lookAlikes.length
        ? html`<p class="quiet">${imports.firstLookAlikes(lookAlikes.length)}</p>`
        : nothing
    }
    <console-table
      .label=${imports.lookAlikes(lookAlikeCount)}
      .columns=${columns}
      .rows=${lookAlikes}
    ></console-table>
  </section>`;
}

function totalsView({ totals }: LedgerImportRecord) {
  if (totals.length === 0) return nothing;
  const { imports, common } = texts();
  return html`<section class="card">
    <h2>${imports.totals}</h2>
    <div class="scroll-x" tabindex="0" role="region" aria-label=${imports.totals}>
      <table>
        <thead>
          <tr>
            <th scope="col">${imports.fields.type}</th>
            <th scope="col">${common.currency}</th>
            <th scope="col" class="end">${imports.count}</th>
            <th scope="col" class="end">${common.amount}</th>
          </tr>
        </thead>
        <tbody>
          ${totals.map(
            ({ currency, type, count, amount }) =>
              html`<tr>
                <th scope="row">${imports.typesOf[type]}</th>
                <td>${currency}</td>
                <td class="end">${formats().number(count)}</td>
                <td class="end amount">${formats().amount(amount, currency)}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  </section>`;
}

/** Shows rows that were left out or read in an unusual way, and words without a meaning. */
function asidesView(draft: Draft, report: LedgerImportRecord) {
  const { imports } = texts();
  const { leftOut, notes, alike, unknownTypes } = report;
  if (leftOut.length + notes.length + alike + unknownTypes.length === 0) return nothing;
  const declare = () => {
    const types = Object.fromEntries(unknownTypes.map(({ word }) => [word, '' as const]));
    draft.choose({ types: { ...types, ...draft.choices.types } });
  };
  return html`<section class="card asides">
    ${
      unknownTypes.length === 0
        ? nothing
        : html`<h3>${imports.unknownTypes}</h3>
            <p>
              ${unknownTypes.map(
                ({ word, count }) => html`<span class="word">${word} × ${count}</span>`,
              )}
              <button class="plain" @click=${declare}>${imports.change}</button>
            </p>`
    }
    ${alike === 0 ? nothing : html`<p>${imports.alike(alike)}</p>`}
    ${
      leftOut.length === 0
        ? nothing
        : html`<h3>${imports.leftOut}</h3>
            <ul>
              ${leftOut.map((row) => rowsItem(row))}
            </ul>`
    }
    ${
      notes.length === 0
        ? nothing
        : html`<h3>${imports.notes}</h3>
            <ul>
              ${notes.map(
                ({ field, message, lines, count }) =>
                  html`<li>${fieldText(field)}: ${message} ${where(lines, count)}</li>`,
              )}
            </ul>`
    }
  </section>`;
}
