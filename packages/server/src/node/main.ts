#!/usr/bin/env node
import '@financing-checkout/kit/supported-node';
import { processShell, runProcess } from '@financing-checkout/kit/cli';
import { companionProgram } from './cli/program.ts';

await runProcess(companionProgram, processShell);
