/**
 * Words that people who build software use for one another. An entry says "removing worktrees", the
 * question "delete a worktree"; no embedder without a model knows that. Only everyday words and their
 * usual abbreviations: what a project calls its own things is learned from its index alone.
 */
import { analyze } from '../../shared/text.js';

/** Each line is a group; a word may stand in several. */
const GROUPS = `
create make build generate produce write author add introduce new
delete remove drop discard erase clean cleanup prune purge trash wipe
change modify edit update alter adjust tweak
fix repair correct resolve mend solve
fail failure break broken crash die error
error exception failure fault
throw raise exception
catch handle rescue
bug defect issue problem fault
wrong incorrect bad invalid mismatch
flaky unreliable intermittent random nondeterministic unstable sporadic
hang stuck freeze deadlock stall
lock mutex deadlock contention
race concurrent parallel simultaneous together
parallel concurrent simultaneous once
sequential serial
split separate divide decompose partition break
merge combine join consolidate integrate unify
run execute invoke launch start call trigger
stop abort cancel kill halt interrupt end terminate shutdown
restart resume relaunch continue reboot
retry again repeat resend reattempt backoff
choose select pick decide decision
check verify validate validation ensure confirm
validate sanitize
review audit inspect assess evaluate critique
test spec
assert assertion expect
mock stub fake double patch
fixture factory seed sample
find locate discover search detect lookup grep
search query filter
read load fetch parse open
show display print output render appear
hide suppress silence ignore skip omit bypass
move relocate place transfer migrate
rename name naming identifier
copy duplicate clone
duplicate repeated redundant dedup deduplicate twice double
twice double idempotent
order sort sequence rank
rank relevance score
group organize structure arrange cluster
file document blob object
directory folder dir path
function method procedure routine helper
module package library
argument parameter option flag
config configure configuration setting settings setup option
toggle flag switch
command cli terminal shell
message text prompt
session conversation chat
user person human account member people
agent assistant bot subagent
delegate dispatch handoff assign
large big long huge oversized many
small short tiny brief
shorten truncate compress condense trim cut
shrink compress resize scale
bulk batch many mass
limit maximum cap threshold bound budget quota
throttle rate limit
size length count number
fast quick speed performance
slow latency lag performance wait delay
empty missing absent null none optional blank undefined
lose lost missing gone vanish disappear
default fallback
required mandatory must
early first begin start initial
late last final end finish complete done
before pre prior
after post afterwards
old legacy previous obsolete stale outdated expired
expire expiry ttl lifetime
invalidate evict flush clear
rule convention guideline policy standard
plan design outline
task job ticket todo work
job worker queue background task
requirement spec need
goal objective
permission access authorization role privilege
auth authentication login signin
secret credential password token key
encrypt encryption cipher
certificate tls https ssl
attack exploit vulnerability security injection
untrusted malicious hostile
database db storage store
table column schema field
schema migration
transaction atomic
query sql select
save store persist write
cache memoize
storage disk bucket space
memory ram heap
cpu processor load
dependency requirement package library
version release
upgrade bump update
branch worktree fork
commit checkin
conflict collision clash
undo revert rollback restore recover
backup snapshot restore
cost price expense
cause reason root why
block prevent deny forbid reject refuse
allow permit enable accept
disable off
warn warning alert alarm page
notify notification alert push
outage incident downtime
log trace record
monitor watch observe metric dashboard
measure metric benchmark
document docs documentation readme
example sample
type kind category class classify categorize triage
model llm
prompt instruction directive
context information knowledge
async asynchronous await
env environment
temp temporary tmp
repo repository
regex pattern
wait sleep delay timeout
timeout deadline slow hang
import include
export download
implement implementation code
refactor restructure rework
simplify reduce
expand extend grow
format style layout lint
string text
list array collection
page pagination paginate cursor offset scroll
dict dictionary map object
network http request connection
offline disconnect connectivity network
sync synchronize replicate
url link
endpoint route api
response reply answer
ui interface frontend
page screen view
frontend browser web client
phone mobile device ios android
backend server
deploy ship release publish rollout
install setup
schedule cron timer nightly periodic
time clock date
timezone utc
upload send
send post submit push
download fetch pull
image picture photo
thumbnail preview
video clip movie
round float decimal money
encoding unicode charset utf8
typo misspelled fuzzy spelling
translate translation locale i18n language
component widget
button form input
keyboard accessibility
health liveness readiness probe
shutdown drain graceful
thread process worker
unit integration
production prod live
local development dev machine
share shared public
private internal hidden
owner author
unique distinct
compare diff difference
convert transform
exact precise
approximate estimate guess
increase raise grow
decrease lower reduce
boundary edge limit
safe secure
risky dangerous unsafe
tenant customer client
event webhook callback
stream chunk
constraint foreign
`;

/** From each term (stemmed, as `analyze` gives it) to those that may stand for it. */
export const SYNONYMS: ReadonlyMap<string, readonly string[]> = readGroups(GROUPS);

function readGroups(text: string): Map<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  for (const line of text.trim().split('\n')) {
    const terms = [...new Set(analyze(line))];
    for (const term of terms) {
      const others = found.get(term) ?? new Set<string>();
      for (const other of terms) if (other !== term) others.add(other);
      found.set(term, others);
    }
  }
  return new Map([...found].map(([term, others]) => [term, [...others]]));
}
