# ruff: noqa: E501 (patterns read better on long lines)
"""How people ask for other words or a pause, think aloud, dispute a verdict, or try to steer: patterns of whole clauses, as
those of `requests`."""

from __future__ import annotations

_POLITE = (
    r"(?:(?:can|could|may|might|shall|would|will) (?:i|we|you)(?: please| just| maybe| perhaps)? |let'?s |let us "
    r"|please |i(?:'d| would) (?:like|love|prefer) to |i (?:want|need|have|wish) to |i(?:'ll| will| must) (?:have to )?"
    r"|i(?:'d| would)? (?:rather|better) |is it (?:ok|okay|possible|fine) (?:to|if i|if we) |do you mind if (?:i|we) "
    r"|how about we |why don't we |i(?:'m| am) going to |we (?:can|could|should) |would it be (?:ok|okay|possible) to )?"
    r"(?:just |please |maybe |quickly )?"
)
_LATER = (
    r"(?:later(?: on| today| this week| tonight)?|tomorrow(?: morning| evening| afternoon)?|tonight|another (?:time|day)"
    r"|some other (?:time|day)|after (?:lunch|dinner|work|the break|a break|that|this|my \w+|\w+)|next (?:week|time)"
    r"|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|in (?:an?|a few|\d+|half an|ten|five|twenty|thirty|two) "
    r"(?:hours?|minutes?|mins?|days?|while|bit)|when i(?:'m| am| get) (?:back|home|free|done)|this (?:evening|afternoon)"
    r"|at a later (?:time|point|date)|over the weekend)"
)
_IT = r"(?: (?:the |this |that |our |my )?(?:interview|session|exam|test|conversation|practice|question|it|this|that|here|things))?"
_WORDS = r"(?:words|terms|language|english|wording)"

PAUSE = rf"""
    {_POLITE}(?:pause|suspend|freeze|put{_IT} on hold|save){_IT}(?: (?:for )?(?:now|here|a (?:bit|while|moment|minute|
    second|sec)))*(?: (?:and|then) .*)?(?: please)?
  | {_POLITE}(?:pause|save){_IT} .*{_LATER}
  | {_POLITE}(?:i )?(?:really )?(?:take|have|make|need|get|want|could use)(?: (?:a|another|my))?(?: (?:short|quick|little|small|five minute|5 minute|lunch|coffee|
    bathroom|toilet))* (?:break|pause|breather|timeout|time out)(?: (?:now|here|please|first|for .*))*(?: and .*)?
  | (?:a )?(?:short |quick |coffee |lunch )?(?:break|pause)(?: please| time)?
  | {_POLITE}(?:continue|resume|finish|go on|carry on|pick (?:this|it|that) up|pick up|come back|get back|return|do (?:this|it|
    the rest)|keep going|proceed|be back)(?: (?:to|with))?{_IT}(?: (?:up|again))?(?: from here)? {_LATER}(?: please)?
  | {_POLITE}(?:stop|leave|end|quit|break|log off|go|close){_IT}(?: (?:off|here|now|for now|for today))*(?: and|,)?
    (?: i(?:'ll| will)| we(?:'ll| will| can)| then)?(?: to)? (?:continue|resume|finish|come back|be back|return|pick up|go on|
    pick it up|carry on)(?: .*)?
  | (?:i(?:'ll| will)|i) (?:be |come |go on |continue |resume )?(?:back )?{_LATER} | (?:i(?:'ll| will) )?(?:be )?back (?:soon|{_LATER})
  | (?:brb|afk|be right back)(?: .*)?
  | {_POLITE}(?:hold|keep) (?:this|it|that|my place|my spot)(?: (?:for me|open|until .*|till .*))*
  | {_LATER} then | save (?:and|&) (?:exit|quit|close)
  | {_POLITE}save (?:my|the|our|this)(?: (?:progress|state|session|interview|place))?(?: .*)?
  | (?:can|could|may) (?:i|we) (?:come|get|go) back(?: to (?:this|it|the interview))?(?: {_LATER})? and (?:continue|resume|finish).*
  | (?:something|someone|somebody|my \w+)(?:'s| has| is)? (?:just )?(?:came up|come up|calling|called|at the door|arrived)
  | i(?:'ve| have)? (?:got|have) (?:a|another) (?:call|meeting|class|appointment)(?: (?:now|in .*|coming up|to .*))?
  | i(?:'m| am) (?:being called|called) away
"""
REPHRASE = rf"""
    rephrase | (?:{_POLITE})(?:rephrase|reword|reformulate|paraphrase|restate|simplify|recast)(?:ing)?(?: .*)?
  | {_POLITE}(?:ask|say|put|phrase|word|state|explain|express|describe|frame|tell me|formulate|try|give me)(?: me)?
    (?: (?:the|this|that|your|it)(?: last)?(?: question| one| problem| task| part)?)?(?: to me| for me| again)?
    (?: (?:a (?:bit|little) )?(?:differently|another way|in (?:a|some) (?:different|other|another|simpler|clearer) way
    |in another way|more (?:simply|clearly|plainly|concretely)|in plain {_WORDS}|simpler|clearer
    |(?:in|with|using) (?:some )?(?:other|different|simpler|easier|plain|plainer|your own|fewer|simple|layman's|lay) {_WORDS}
    |like i(?:'m| am) (?:five|5)|without (?:the )?jargon))(?: please| again)?
  | (?:in )?(?:other|different|simpler|plain|easier) {_WORDS}(?: please)? | (?:simpler|more simply|less jargon) please
  | {_POLITE}mind (?:rephrasing|rewording|explaining|putting|saying|asking)(?: .*)?
  | {_POLITE}(?:make|be)(?: (?:the|this|that|your|it)(?: question| one)?)?(?: a (?:bit|little))? (?:simpler|clearer|easier
    to understand|less confusing|more clear|plainer)(?: .*)?
  | (?:i (?:don't|do not|didn't|did not|can't|cannot) (?:really |quite |fully )?(?:understand|get|follow|parse|see)(?: what)?
    (?: (?:the|this|that|your)(?: \w+)? (?:wording|phrasing|formulation|question))(?: means| is asking| at all)?)
  | (?:the|this|that|your)(?: question'?s?| one'?s?)?(?: (?:wording|phrasing|formulation|question))?(?: is| was|'s)
    (?: (?:a bit|a little|very|really|quite|too|so|rather|kind of))? (?:confusing|unclear|convoluted|ambiguous|vague|hard to
    (?:understand|follow|parse)|worded (?:oddly|strangely|badly)|complicated)(?: to me| for me)?
  | i(?:'m| am) (?:confused|puzzled|thrown)(?: (?:by|about) (?:the |this |that |your )?(?:question|wording|phrasing|
    formulation|it|what you(?:'re| are) asking))
  | (?:the|this|that|your) (?:question|wording|phrasing|formulation) (?:really )?(?:confuses|puzzles|throws|loses) me(?: .*)?
  | what (?:do|does|did) (?:you|that|this|it|the question) (?:even |actually |really )?mean(?: by (?:that|this))?
  | i(?:'m| am) not sure (?:what|i (?:understand|get|follow) what) (?:you(?:'re| are) asking|the question is|you mean|you want)(?: .*)?
"""
THINKING = rf"""
    (?:h+m+|u+m+|u+h+|e+r+m*|well|let'?s see|wait)(?: (?:h+m+|u+m+|u+h+|wait|ok|okay|so|let me see|let me think))*
  | let me (?:work|go|walk|talk|reason) (?:through|over) (?:this|it|that)(?: .*)? | let me (?:recall|remember|think)(?: (?:how|what|where|why) .*)
  | {_POLITE}(?:let me |allow me to |i(?:'ll| will)? (?:just )?(?:need to |want to )?)?(?:think|see|reflect|ponder|consider|
    collect my thoughts|gather my thoughts|organi[sz]e my thoughts|recall|remember|work (?:it|this|that) out|have a think|
    puzzle (?:it|this) out|sort (?:this|it|my thoughts) out|reason (?:it|this) through)
    (?: (?:it|this|that|back|through|over|out loud|aloud|about (?:it|this|that|how to .*|the question)|here|first|a bit|
    again|for (?:a|one) (?:second|moment|minute|bit|sec|while)|a (?:second|moment|minute|bit)))*
  | let me (?:read|re-?read|look at|check)(?: (?:it|this|that|the (?:question|code|task|problem)))?(?: (?:again|once more|
    carefully|first|properly))*
  | (?:i(?:'m| am) )?(?:just |still )?(?:thinking|pondering|trying to (?:think|remember|recall)|working on it|working it out|
    thinking (?:out loud|aloud|about it))(?: (?:here|about .*|back|it through|what .*|how .*))?
  | (?:please )?(?:give me|i need|just|let me have|let me take|may i have|can i have|could i have|can i get|could i get|can you give me|could you give me)?
    [ ]?(?:a|one|another|some|a few|a couple of|two|five)(?: more)? (?:second|sec|minute|moment|min|seconds|secs|minutes|moments|mins|
    time|bit of time|bit|more time)(?: please| more| or two)*(?: to (?:think|collect|gather|consider|reflect|work|read|process|
    organi[sz]e|recall|remember|look).*)?
  | (?:please )?(?:hold on|hang on|one moment|wait|one sec|wait a (?:second|minute|moment|sec|bit)|bear with me|
    bear with me for .*)(?: (?:a|one) (?:second|sec|minute|moment))?(?: please)?
  | i need (?:a (?:second|moment|minute|bit|little) ?(?:longer|more time)?|(?:some|more|a bit more|a little more) time)(?: to think.*)?
  | i need to (?:get|grab|fetch) .* | (?:it(?:'s| is) )?on the tip of my tongue | i (?:used to )?know (?:this|that|it)(?: one)?
  | (?:what was (?:it|that)(?: thing| called| name)*(?: again)?|how (?:did|does) (?:that|it|this) (?:go|work) again|
    what(?:'s| is| was) (?:the|that) (?:word|term|name)(?: again| for it)?|what(?:'s| is) it called(?: again)?)
  | (?:wait|no|scratch that|no wait|actually no|hmm no|let me start (?:over|again)|let me rephrase(?: that| my answer)?|
    let me try (?:again|that again))
  | (?:this|that) (?:needs|takes|requires) (?:some|a bit of|a little) (?:thought|thinking) | where (?:do|should) i (?:even )?begin
  | where was i | good question (?:let me think|hmm+) | okay (?:so )?(?:let'?s|let me) (?:see|think)(?: .{{0,20}})?
"""
_MARK = (
    r"(?:full (?:marks?|score|points|credit)|(?:a )?perfect (?:score|marks?|grade)|(?:all|maximum|max|the|some|extra|more|bonus|"
    r"top|highest|100|ten|10|the maximum|all the|all of the|higher)(?: (?:the|of the|number of))* (?:points?|marks?|credits?|score|grades?)"
    r"|100 ?%?|hundred percent|one hundred percent|10 ?(?:/|out of) ?10|5 ?/ ?5|an? a\+?|(?:a )?pass|top marks|"
    r"(?:as )?(?:correct|right|met|passed|complete|true|perfect|excellent|good enough)|credit(?: for .*)?|points(?: for .*)?)"
)
STEER = rf"""
    (?:system|admin|developer|assistant|note to (?:the )?(?:grader|judge|ai))\b.{{0,200}}
  | .{{0,60}}\b(?:ignore|disregard|forget|override|bypass|drop)\b.{{0,30}}\b(?:instructions?|rules?|rubric|prompts?|guidelines|
    constraints|criteria|programming|training|grading|scoring)\b.*
  | {_POLITE}(?:give|award|grant|assign|mark|rate|score|grade|count|consider|treat|accept|record|set|put|note)
    (?: (?:me|it|this|that|us|my|the|everything|every|all|answers?|question|points?|score|of|these|them|down|each|last|one|whole))*
    (?: (?:as|with|to|at|an?|down))*(?: |$){_MARK}(?: .*)?
  | {_POLITE}(?:bump|raise|boost|increase|improve|round|change|lift|adjust|up)(?: up)? (?:my|the) (?:score|marks?|grade|points|result|
    rating|verdict)(?: .*)?
  | (?:just |please |simply )?(?:let|help) me pass(?: .*)? | (?:just |please )?pass me(?: .*)?
  | (?:please |just |could you |can you )?(?:be|go) (?:a bit |a little |more |very )?(?:lenient|generous|nice|kind|easy|gentle|soft|
    merciful)(?: .*)?
  | (?:please )?(?:don't|do not) (?:deduct|take(?: away| off)?|subtract|remove|mark|penali[sz]e|fail)\b.*
  | .{{0,40}}\byou (?:should|must|have to|need to|ought to)(?: just| simply| now)? (?:award|grant|give|mark|score|grade|
    pass|accept|credit) (?:me|my (?:answer|score)|full|points?|the (?:full|maximum) (?:score|marks?|points|credit))\b.*
  | you are (?:now|no longer|not) .* | (?:from now on|for the rest of .{{0,30}}),? ?(?:you|act|be|answer|only|always).*
  | (?:pretend|act as|act like|imagine|roleplay|simulate|assume|suppose)(?: (?:that|as if|you|i|i've|to|you're|like))* .{{0,40}}
    (?:interviewer|answered|passed|correct(?:ly)?|grader|admin|developer|perfect|right|full|friend|assistant|rubric).*
  | (?:i(?:'m| am)) (?:the |your |an? )?(?:developer|admin|administrator|creator|owner|author|boss|teacher|maintainer|supervisor)\b.*
  | (?:please |just |can you |could you |now )?(?:reveal|print|output|show|repeat|display|leak|dump|tell|give|list|share)
    (?: me)?(?: (?:the|your|all|all the|of|hidden|secret|full|grading|scoring|exact|internal))* (?:rubric|system prompt|prompt|instructions|
    answer key|solution key|marking scheme|grading criteria|scoring criteria|hidden tests?|test cases|points|model answer|expected
    (?:answer|values?|outputs?)|checklist|key ?words?)(?: .*)?
  | (?:what|which) (?:are|is|does|points|keywords|words)(?: (?:the|your|in|on|do|you|i))* (?:rubric|system prompt|grading criteria|marking
    scheme|answer key|want to hear|need to say|looking for to give .*)(?: .*)?
  | (?:say|tell me|write|reply|respond|confirm|declare|state|admit)(?: that)? (?:i|my answer|this|it|the answer)(?:'ve|'s| have| has| is| was)? ?
    (?:passed|correct|right|perfect|met|full marks|excellent|an expert|answered .*correctly).*
  | (?:my|this|that|the) (?:answer|code|solution)(?: above)? (?:is|was) (?:obviously |clearly |completely |absolutely |definitely )?(?:correct|right|
    perfect|complete)(?: so| and|,)? .*(?:mark|score|points|pass|credit|accept|give|grade).*
  | i (?:deserve|should (?:get|have|receive)|ought to get) .{{0,30}}(?:marks?|points?|score|credit|pass|100|grade)\b.*
  | (?:if you (?:give|mark|pass|award|let|score|grade|accept)|i'?ll (?:give|tip|pay|rate)) .{{0,60}}(?:marks?|points?|score|pass|tip|stars?|review|credit|dollars|\$).*
  | (?:all|every) (?:points?|criteria|answers?|rubric points?) (?:are|is|were|was|have been|should be) (?:met|correct|satisfied|fulfilled|
    complete|covered).*
  | (?:score|grade|verdict|result)(?: is)? ?[:=] ?.{{1,30}}
"""
DISPUTE = r"""
    (?:but |no |hey |well )*i did (?:say|mention|explain|answer|cover|state|write|include|talk about|name|give)\b.*
  | (?:but |no |hey |well )*(?:you|it|the feedback) (?:said|says?|claims?|told me) (?:i|that i) (?:didn't|did not|never|missed|forgot|haven't)\b.*
  |    (?:but |no |hey |well )*i (?:already |just |did |have |have already |clearly |definitely |literally )*(?:said|say|mention|
    mentioned|explained|explain|answered|answer|covered|cover|told you|wrote|write|stated|state)(?: (?:exactly|precisely))?
    (?: (?:that|this|it|so|exactly that|all of that|that part|that point|the same thing|as much))
    (?: (?:already|before|earlier|above|in my (?:first |last |previous )?answer|at the (?:start|beginning)|a minute ago|just now|too|clearly))*
  | (?:but |no |sorry |i think |i believe |i(?:'m| am) (?:afraid|sure) )*(?:that|this|it|you|(?:that|this|the|your) (?:verdict|feedback|grading|score|
    judg(?:e)?ment|assessment|correction|marking|evaluation|ruling))(?:'s| is| are|'re| was| were| seems?| must be| looks?)?
    (?: (?:just|simply|clearly|completely|totally|quite|a bit|really|not|very|so|been|being|marked|graded|scored))* (?:wrong|incorrect|unfair|
    fair|right|mistaken|too (?:harsh|strict|hard)|harsh|an error|a mistake|unjust|unjustified|inaccurate|nonsense|not true|bogus|ridiculous)
    (?: (?:about (?:that|this|it|me|my answer)|here|there|on (?:that|this)(?: one| point)?|with (?:that|this|me)))*
  | (?:i )?(?:strongly |really |have to |must |would |do )*(?:disagree|object|dispute|contest|protest|challenge|appeal|don't agree|do not agree|
    can't agree|cannot agree|don't accept|beg to differ|don't think (?:that|this|it)(?:'s| is| was) (?:fair|right|correct|wrong|true))
    (?: (?:with|to|about|that|against))?(?: .*)?
  | (?:i(?:'d| would) (?:like|want) to|i want to|can i|could i|may i|how (?:do|can) i|is it possible to|let me)
    (?: please| formally)? (?:disagree|object|dispute|contest|protest|challenge|appeal|question)(?: .*)?
  | (?:you|the (?:judge|grader|system))(?:'ve| have)? (?:got (?:that|it|this|me|my \w+|the \w+) (?:all |completely )?wrong|misunderstood|misread|misheard|misjudged|missed|overlooked|ignored|didn't (?:understand|
    read|listen|hear|get|count|credit|see|notice)|did not (?:understand|read|hear|count|credit|see)|were wrong|made a mistake|mis-?graded|
    (?:marked|graded|scored|counted|judged))(?: .*)?
  | why (?:did i (?:lose|not get|get no|miss)|didn't i get|wasn't|was (?:that|this|it|my)|is (?:that|this|it|my)|did(?:n't)? you|do you|have i)\b
    .{0,60}(?:points?|marks?|wrong|counted?|credit(?:ed)?|scored?|graded?|missed|incorrect|accept(?:ed)?|not met|verdict)(?: .*)?
  | (?:please |can you |could you |would you |kindly )*(?:re-?check|re-?grade|re-?consider|re-?evaluate|re-?score|re-?assess|re-?judge|
    look (?:at (?:that|this|it|my answer) )?again|double-?check|check (?:that|this|it|my answer|your (?:verdict|notes|grading)) again|review)
    (?: .*)?
  | my (?:answer|code|solution|explanation)(?: to .{1,30})? (?:was|is) (?:actually |in fact |clearly |not )?(?:right|correct|wrong|fine|valid)
    (?: (?:though|actually|and .*))?
  | (?:that|this|what i said)(?:'s| is| was)? (?:actually |in fact |also )?(?:correct|right|true|valid)(?: (?:though|actually|too))
  | that(?:'s| is| was) (?:not )?what i (?:said|meant|wrote|answered)(?: .*)? | i (?:didn't|did not|never) (?:say|said|mean|claim|claimed) (?:that|this)
  | (?:the|this|your) question (?:is|was|itself is) (?:wrong|unfair|flawed|incorrect|bogus|misleading)(?: .*)?
  | (?:the|your) (?:docs|documentation|notes|rubric|answer)(?: \w+)? (?:disagrees?|is wrong|are wrong|is outdated|is incorrect|says? otherwise)(?: .*)?
"""
