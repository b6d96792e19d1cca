import type { Command, Option } from 'commander';
import { createProgram } from '../src/cli/command-line.js';
import { environmentName, findSetting, flagName, settingNames } from '../src/config/settings.js';
import { productVersion } from '../src/kernel/product.js';

interface OptionDoc {
  readonly flag: string;
  readonly placeholder: string | undefined;
  readonly description: string;
}

interface CommandDoc {
  readonly name: string;
  readonly description: string;
  readonly operands: readonly string[];
  /** Options of this command alone. */
  readonly options: readonly OptionDoc[];
  /** Whether it takes the settings as well. */
  readonly takesSettings: boolean;
}

const settingFlags = new Set(settingNames.map(flagName));

const settingOptions: readonly OptionDoc[] = [
  { flag: '--config', placeholder: 'FILE', description: 'Configuration file with lines name = value.' },
  { flag: '-D', placeholder: 'name=value', description: 'Any setting by its name, such as -DrootPath=/Olog.' },
  ...settingNames.map((name) => {
    const { placeholder, description } = findSetting(name);
    return { flag: flagName(name), placeholder, description };
  }),
];

const { signal } = new AbortController();

/** Commands of the command line, from its own description. */
const commands = (await createProgram({ stop: signal, abandon: signal })).commands.map(describeCommand);

function describeCommand(command: Command): CommandDoc {
  const flagOf = (option: Option) => option.long ?? option.short ?? '';
  const isOwn = (option: Option) => !option.hidden && !['--config', '-D'].includes(flagOf(option));
  const own = command.options.filter((option) => isOwn(option) && !settingFlags.has(flagOf(option)));
  return {
    name: command.name(),
    description: command.description(),
    operands: command.registeredArguments.map((one) => (one.required ? one.name() : `[${one.name()}]`)),
    options: own.map((option) => ({
      flag: flagOf(option),
      placeholder: /[<[]([^\]>]+)/.exec(option.flags)?.[1],
      description: option.description,
    })),
    takesSettings: command.options.some((option) => settingFlags.has(flagOf(option))),
  };
}

/** Generates the manual page logbook(1). */
export function manualPage(): string {
  const settings = settingNames.map((name) => {
    const { defaultText } = findSetting(name);
    const { flag, placeholder, description } = settingOptions.find((one) => one.flag === flagName(name)) as OptionDoc;
    const standard = defaultText === '' ? '' : ` Default: ${defaultText}.`;
    return term(`${flag} ${placeholder}`, `${description}${standard} [${environmentName(name)}]`);
  });
  return `.TH LOGBOOK 1 "" "Logbook ${roff(productVersion)}" "Logbook"
.SH NAME
logbook \\- online logbook for large scientific facilities
.SH SYNOPSIS
.B logbook
.I command
[options]
.SH DESCRIPTION
An online logbook: operators, engineers and users of a facility create and find log entries, with attachments, replies, an
archive of every edit, and live notifications. The command
.B serve
runs the service; the others examine, back up and maintain it.
.SH COMMANDS
${commands.map(commandSection).join('\n')}
.SH SETTINGS
A setting is given as a flag, as
.BI \\-D name = value\\fR,
as an environment variable, or in the configuration file, in this order of precedence.
${settings.join('\n')}
.SH EXIT STATUS
${term('0', 'Success: nothing is wrong.')}
${term('1', 'The command failed or found problems.')}
${term('2', 'For some commands, as described there.')}
${term('64', 'The command line is wrong.')}
${term('78', 'The configuration is wrong.')}
.SH FILES
${term('/etc/logbook/logbook.properties', 'The configuration of the installed service.')}
${term('/var/lib/logbook', 'Its data directory.')}
${term('/usr/lib/logbook/docs', 'The documentation.')}
.SH SEE ALSO
.BR systemctl (1),
.BR journalctl (1)
`;
}

function commandSection({ name, description, operands, options, takesSettings }: CommandDoc): string {
  const synopsis = [
    ...operands,
    ...(options.length > 0 ? ['[options]'] : []),
    ...(takesSettings ? ['[settings]'] : []),
  ];
  const terms = options.map(({ flag, placeholder = '', description: text }) => term(`${flag} ${placeholder}`, text));
  return [`.SS logbook ${roff([name, ...synopsis].join(' '))}`, roff(description), ...terms].join('\n');
}

const term = (name: string, text: string) => `.TP\n.B ${roff(name.trim())}\n${roff(text)}`;

/** Escapes a text for roff: hyphens become minus signs, which can be copied, and no line begins a request. */
function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');
}

/** Generates the completion of bash. */
export function bashCompletion(): string {
  const cases = commands.map(({ name, options, takesSettings }) => {
    const flags = [...options.map(({ flag }) => flag), '--help'].join(' ');
    return `    ${name}) options="${flags}${takesSettings ? ' $settings' : ''}" ;;`;
  });
  return `# Completion of bash for logbook(1).
_logbook() {
  local word=\${COMP_WORDS[COMP_CWORD]} options=
  local settings="${settingOptions.map(({ flag }) => flag).join(' ')}"
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$word"))
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  fi
}
complete -o default -F _logbook logbook
`;
}

/** Generates the completion of zsh. */
export function zshCompletion(): string {
  const cases = commands.map(({ name, operands, options, takesSettings }) => {
    const own = options.map((option) => `    ${zshOption(option)}`);
    const files = operands.map(
      (operand, index) => `    ${quoted(`${index + 1}:${operand.replace(/[[\]]/g, '')}:_files`)}`,
    );
    const more = takesSettings ? '\n  options+=($settings)' : '';
    return `${name})\n  options=(\n${[...own, ...files].join('\n')}\n  )${more}\n  ;;`;
  });
  return `#compdef logbook
# Completion of zsh for logbook(1).
local -a commands settings options
commands=(
${commands.map(({ name, description }) => `  ${quoted(`${name}:${firstSentence(description)}`)}`).join('\n')}
)
settings=(
${settingOptions.map((option) => `  ${zshOption(option)}`).join('\n')}
)
if ((CURRENT == 2)); then
  _describe command commands
  return
fi
case $words[2] in
${cases.join('\n')}
esac
shift words
((CURRENT--))
_arguments $options '--help[Show the help.]'
`;
}

function zshOption({ flag, placeholder, description }: OptionDoc): string {
  const text = firstSentence(description).replace(/[[\]\\:]/g, '\\$&');
  const value = placeholder === undefined ? '' : `:${placeholder.replace(/[:\\]/g, '\\$&')}:_files`;
  return quoted(`${flag}[${text}]${value}`);
}

const firstSentence = (text: string) => /^.*?[.](?=\s|$)/s.exec(text)?.[0] ?? text;

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
