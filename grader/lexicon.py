"""Word lists: function words, negators, irregular forms and opposites. Closed classes and plain English, no subject."""

from __future__ import annotations

_FUNCTION = """
a an the this that these those i you he she it we they me him her us them my your his its our their mine
who whom whose which what when where why how there here and or but nor so yet if then than because as until while
of at by for with about against between into through during before after above below to from up down in out on
off over under again further once is am are was were be been being have has had having do does did doing will
would shall should can could may might must not no never none neither cannot without only just also too very
such same own both each every any all some more most other another much many few one ones s t d ll ve re m
don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn ain let lets via per within upon
whether either though although however therefore thus hence else instead rather like well really quite
something anything everything nothing thing things way get gets got make makes made use used using uses
basically actually um uh er hmm okay ok yeah yes right know mean think guess sort kind maybe perhaps probably
"""
_NEGATORS = """
not no never none neither nor cannot without dont doesnt didnt isnt arent wasnt werent wont wouldnt couldnt
shouldnt cant hasnt havent hadnt aint lacks lack lacking fails fail avoids avoid avoiding prevents prevent stops
hardly nobody
"""
_IRREGULAR = """
overwritten:overwrite overwrote:overwrite written:write wrote:write kept:keep held:hold built:build
ran:run lost:lose chosen:choose chose:choose grew:grow grown:grow rose:rise fell:fall fed:feed threw:throw
thrown:throw gave:give given:give took:take taken:take saw:see seen:see stored:store went:go gone:go found:find
sent:send left:leave meant:mean spent:spend broke:break broken:break began:begin begun:begin became:become
indices:index vertices:vertex matrices:matrix weights:weight biases:bias losses:loss children:child
"""
_OPPOSITES = """
increase decrease|increase reduce|raise lower|rise fall|grow shrink|more less|more fewer|higher lower|high low
before after|first last|train eval|train inference|training inference|larg small|big small|bigger smaller|long short
faster slower|fast slow|quick slow|accumulat overwrit|accumulat replac|accumulat reset|add overwrit|add replac
add subtract|sum overwrit|sum replac|keep discard|keep drop|static dynamic|mutabl immutabl|mutabl constant
always never|enabl disabl|on off|best worst|better worse|same different|local global|inner outer|input output
lazy eager|lazili eagerli|synchronous asynchronous|true false|open clos|connect disconnect|positiv negativ
left right|top bottom|begin end|start end|maximum minimum|maximiz minimiz|max min|upper lower|public privat
row column|linear nonlinear|sam distinct|deep shallow|hot cold|warm cool|heavy light|cheap expensiv|easi hard
wrong correct|incorrect correct|destroy keep|free keep|delete keep|release keep|forget remember|double half
fail succeed|fail work|optional mandatory|optional required|deprecated current|independent dependent|fixed dynamic
numerical symbolic|numerical analytical|once repeatedly|serial parallel|sequential parallel|blocking asynchronous
compile interpret|frozen trainabl|freez unfreez|shuffl order|dens spars|valid invalid|safe unsaf|stabl unstabl
complet incomplet|equal unequal|necessari unnecessari|underfit overfit|contiguous noncontiguous|one many|all none
"""

FUNCTION_WORDS = frozenset(_FUNCTION.split())
# A word in the scope of one of these is denied.
NEGATORS = frozenset(_NEGATORS.split())
IRREGULAR = dict(pair.split(":") for pair in _IRREGULAR.split())
# Pairs of words that mean the opposite of each other.
OPPOSITES = tuple(tuple(pair.split()) for line in _OPPOSITES.split("\n") for pair in line.split("|") if pair.strip())
