#!/usr/bin/env node
import './thread-pool.ts';
import { runProcess } from '@financing-checkout/kit/cli';
import { reconcileProgram } from './program.ts';
import { processShell } from './shell.ts';

await runProcess(reconcileProgram, processShell);
