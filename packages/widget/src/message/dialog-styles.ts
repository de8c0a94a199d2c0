import { css } from '../views/sheet.ts';

/**
 * Styles of the dialog's content. In a narrow dialog each table row is a block with its own labels.
 */
export const detailsStyles = css`
  [part='details'] {
    flex: 1;
    padding: 1.25em;
    overflow: auto;
    overscroll-behavior: contain;
  }
  [part='details'] > * + * {
    margin-block-start: 1em;
  }
  h3 {
    font-size: 1.0625em;
  }
  table {
    inline-size: 100%;
    border-collapse: collapse;
    font: inherit;
    font-variant-numeric: tabular-nums;
  }
  th,
  td {
    padding: 0.5em;
    border-block-end: 1px solid var(--_line);
    text-align: end;
    vertical-align: top;
  }
  th {
    font-weight: 600;
  }
  :is(th, td):first-child {
    padding-inline-start: 0;
    text-align: start;
  }
  :is(th, td):last-child {
    padding-inline-end: 0;
  }
  dl {
    display: grid;
    grid-template-columns: 1fr auto;
    gap: 0.25em 1em;
    font-variant-numeric: tabular-nums;
  }
  dt,
  .note {
    color: var(--_muted);
  }
  dd {
    text-align: end;
  }
  summary {
    padding-block: 0.375em;
    cursor: pointer;
    font-weight: 600;
  }
  .note {
    white-space: pre-line;
  }
  a {
    color: inherit;
  }
  a.button {
    text-align: center;
    text-decoration: none;
  }
  :is(summary, a, [part='details']):focus-visible {
    outline: 3px solid var(--financing-focus, light-dark(#2563c9, #8ab8ff));
    outline-offset: -3px;
  }
  @media (min-width: 640px) and (min-height: 480px) {
    dialog {
      inline-size: var(--financing-dialog-width, 44em);
    }
  }
  @container (width < 42em) {
    thead {
      position: absolute;
      inline-size: 1px;
      block-size: 1px;
      overflow: hidden;
      clip-path: inset(50%);
    }
    table,
    tbody,
    tr,
    tbody th {
      display: block;
    }
    tr {
      padding-block: 0.5em;
      border-block-end: 1px solid var(--_line);
    }
    td {
      display: flex;
      justify-content: space-between;
      gap: 1em;
    }
    :is(th, td):is(:first-child, td) {
      padding: 0.125em 0;
      border: 0;
    }
    td::before {
      content: attr(data-label);
      color: var(--_muted);
    }
  }
`;
